import remend from "remend";
import type { ShownBlock } from "./block-groups.ts";
import { parseMarkdown } from "./parse.ts";
import type { ParseState } from "./incremental-parse.ts";

/** Repairing a longer tail would cost too much. */
const repairLength = 8_000;

const options = {
  linkMode: "text-only",
  comparisonOperators: false,
  singleTilde: false,
  katex: false,
  inlineKatex: false,
} as const;

/** Returns the tail with unclosed Markdown delimiters closed. */
export function repairedTail(state: ParseState): readonly ShownBlock[] {
  const { tail, text, open } = state;
  const last = tail.at(-1);
  if (last === undefined || open !== null || last.node.type === "code") return tail;
  const from = text.lastIndexOf("\n", last.key) + 1;
  const source = text.slice(from);
  if (source.length > repairLength) return tail;
  const repaired = remend(source, options);
  if (repaired === source) return tail;
  const blocks = parseMarkdown(repaired).children.map((node) => ({
    key: from + (node.position?.start.offset ?? 0),
    node,
  }));
  return [...tail.slice(0, -1), ...blocks];
}
