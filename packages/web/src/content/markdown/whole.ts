import { collectDefinitions, noDefinitions } from "./definitions.ts";
import { addBlocks } from "./groups.ts";
import { parseMarkdown } from "./parse.ts";
import { nothingRead, type Reading } from "./reading.ts";

/** The whole text parsed at once, so that every reference finds what it refers to. */
export function readWhole(text: string): Reading {
  const blocks = parseMarkdown(text).children.map((node) => ({
    key: node.position?.start.offset ?? 0,
    node,
  }));
  const { definitions } = collectDefinitions(blocks, noDefinitions);
  return {
    ...nothingRead,
    text,
    groups: addBlocks([], blocks),
    at: text.length,
    definitions,
    passes: 1,
  };
}
