import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Parses GFM into a tree with positions. HTML stays text. */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, options);
}
