import { collectDefinitions, noDefinitions } from "./definitions.ts";
import { addBlocks } from "./block-groups.ts";
import { parseMarkdown } from "./parse.ts";
import { emptyParse, type ParseState } from "./incremental-parse.ts";

/** Parses the whole text at once, so that every reference is resolved. */
export function parseWhole(text: string): ParseState {
  const blocks = parseMarkdown(text).children.map((node) => ({
    key: node.position?.start.offset ?? 0,
    node,
  }));
  const { definitions } = collectDefinitions(blocks, noDefinitions);
  return {
    ...emptyParse,
    text,
    groups: addBlocks([], blocks),
    at: text.length,
    definitions,
    passes: 1,
  };
}
