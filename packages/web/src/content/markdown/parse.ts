import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** GFM as a tree with positions. Markup of HTML stays text: nothing here makes anything of it. */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, options);
}
