import type { RootContent } from "mdast";
import { collectDefinitions, type Definitions, noDefinitions } from "./definitions.ts";
import { endOfLine, fenceAt, scanFence, type OpenFence } from "./fence.ts";
import { addBlocks, type BlockGroup, type Plain, type ShownBlock } from "./block-groups.ts";
import { parseMarkdown } from "./parse.ts";
import { plainEnd } from "./plain-block-end.ts";

/**
 * The result of parsing a growing text. Finished top-level blocks are kept and only the tail is parsed again, so a
 * chunk costs the same at any length. The blocks equal those of the whole text, except references across pieces
 * (`hasReferences`).
 */
export interface ParseState {
  /** The text parsed so far. */
  readonly text: string;
  readonly groups: readonly BlockGroup[];
  /** The blocks that may still change. */
  readonly tail: readonly ShownBlock[];
  /** The offset of the tail: always the start of a line. */
  readonly at: number;
  readonly open: OpenFence | OpenPlain | null;
  readonly definitions: Definitions;
  readonly hasReferences: boolean;
  /** How many times the parser ran. */
  readonly passes: number;
}

/** A block that is too long to be parsed repeatedly. */
export interface OpenPlain {
  readonly kind: "plain";
  readonly scanned: number;
}

/** The number of characters parsed in one step. */
export const stepLength = 16_000;
/** A longer block is shown as plain text. */
export const plainLength = 48_000;

export const emptyParse: ParseState = {
  text: "",
  groups: [],
  tail: [],
  at: 0,
  open: null,
  definitions: noDefinitions,
  hasReferences: false,
  passes: 0,
};

/** Parses at most one more step; starts again if the text does not extend the previous one. */
export function parseMore(before: ParseState, text: string): ParseState {
  let state = text.startsWith(before.text) ? before : emptyParse;
  const end = Math.min(text.length, state.text.length + stepLength);
  if (end === state.text.length) return state;
  state = { ...state, text: end === text.length ? text : text.slice(0, end) };
  for (;;) {
    const next = pass(state, end);
    if (next.at === state.at && next.open?.kind === state.open?.kind) return next;
    state = next;
  }
}

function pass(state: ParseState, end: number): ParseState {
  if (state.open?.kind === "fence") return passFence(state, state.open, end);
  if (state.open?.kind === "plain") return passPlain(state, state.open, end);
  return passBlocks(state, end);
}

function passFence(state: ParseState, open: OpenFence, end: number): ParseState {
  const { fence, node, after } = scanFence(state.text, open, end);
  const block = { key: state.at, node };
  if (after === null) return { ...state, open: fence, tail: [block] };
  return { ...settle(state, [block]), at: after, open: null, tail: [] };
}

function passPlain(state: ParseState, open: OpenPlain, end: number): ParseState {
  const { text, at } = state;
  const found = plainEnd(text, open.scanned, end);
  const node: Plain = { type: "plain", value: text.slice(at, found.after ?? end) };
  const block = { key: at, node };
  if (found.after === null) {
    return { ...state, open: { kind: "plain", scanned: found.scanned }, tail: [block] };
  }
  return { ...settle(state, [block]), at: found.after, open: null, tail: [] };
}

function passBlocks(state: ParseState, end: number): ParseState {
  const { text, at } = state;
  const slice = text.slice(at, end);
  if (slice === "") return { ...state, tail: [] };
  if (tooDeep.test(slice)) return { ...state, open: { kind: "plain", scanned: at } };
  const nodes = parseMarkdown(slice).children;
  const blocks = nodes.map((node) => ({ key: at + startOf(node), node }));
  const cut = cutOf(slice, nodes);
  const first = nodes[cut];
  const tailAt = cut === 0 || first === undefined ? at : at + lineStart(slice, startOf(first));
  const next = {
    ...settle(state, blocks.slice(0, cut)),
    at: tailAt,
    tail: blocks.slice(cut),
    passes: state.passes + 1,
  };
  if (first?.type === "code" && cut === nodes.length - 1) {
    const fence = fenceAt(text, tailAt, end, first);
    if (fence) return { ...next, open: fence };
  }
  if (end - tailAt > plainLength) return { ...next, open: { kind: "plain", scanned: tailAt } };
  return next;
}

/** Nesting so deep that parsing would take quadratic time. */
const tooDeep = /^(?:[ \t]{0,8}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){24}/mu;

/** How many of the blocks are final. */
function cutOf(slice: string, nodes: readonly RootContent[]): number {
  const last = nodes.at(-1);
  if (last === undefined) return 0;
  // Until its first line is complete, the last block may still join the one before: "1" may become "1. b". So may
  // a table without a complete second line.
  const firstEnd = endOfLine(slice, startOf(last), slice.length);
  const isWhole =
    firstEnd !== null &&
    (last.type !== "table" || endOfLine(slice, firstEnd, slice.length) !== null);
  let cut = nodes.length - (isWhole ? 1 : 2);
  while (cut > 0 && !standsApart(slice, nodes[cut - 1], nodes[cut])) cut -= 1;
  return Math.max(0, cut);
}

const fenced = /^ {0,3}(?:```|~~~)/u;

/** Without a blank line between them, a block may depend on the one before. */
function standsApart(slice: string, before: RootContent | undefined, after?: RootContent): boolean {
  if (before === undefined || after === undefined) return true;
  if (before.type === "heading" || before.type === "thematicBreak") return true;
  // After indented code the parser may continue a paragraph across blank lines, depending on the block before the
  // code. So the code stays with both neighbours.
  if (isIndentedCode(slice, before) || isIndentedCode(slice, after)) return false;
  const between = slice.slice(before.position?.end.offset ?? 0, startOf(after));
  return between.split("\n").length > 2;
}

function isIndentedCode(slice: string, node: RootContent): boolean {
  return node.type === "code" && !fenced.test(slice.slice(startOf(node), startOf(node) + 12));
}

function settle(state: ParseState, blocks: readonly ShownBlock[]): ParseState {
  if (blocks.length === 0) return state;
  const found = collectDefinitions(blocks, state.definitions);
  return {
    ...state,
    groups: addBlocks(state.groups, blocks),
    definitions: found.definitions,
    hasReferences: state.hasReferences || found.hasReferences,
  };
}

function startOf(node: RootContent): number {
  return node.position?.start.offset ?? 0;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}
