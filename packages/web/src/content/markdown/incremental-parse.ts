import type { RootContent } from "mdast";
import { collectDefinitions, type Definitions, noDefinitions } from "./definitions.ts";
import { endOfLine, fenceAt, scanFence, type OpenFence } from "./fence.ts";
import { addBlocks, type BlockGroup, type Plain, type ShownBlock } from "./block-groups.ts";
import { parseMarkdown } from "./parse.ts";
import { plainEnd } from "./plain-block-end.ts";

/**
 * A text as far as it was read. Top-level blocks that can't change any more are kept; only what follows them is
 * parsed again when the text has grown, so that a chunk costs the same at the end of a long text as at its
 * beginning. Whatever the chunks are, the blocks are those of the text parsed as a whole; only links and notes that
 * refer over a piece's border may differ (`hasReferences`).
 */
export interface ParseState {
  /** How much was read, from the beginning. */
  readonly text: string;
  readonly groups: readonly BlockGroup[];
  /** What may still change, as it stands. */
  readonly tail: readonly ShownBlock[];
  /** Where the tail begins: always at the start of a line. */
  readonly at: number;
  readonly open: OpenFence | OpenPlain | null;
  readonly definitions: Definitions;
  readonly hasReferences: boolean;
  /** How often something was parsed. */
  readonly passes: number;
}

/** A block so long that parsing it over and over would be felt. */
export interface OpenPlain {
  readonly kind: "plain";
  readonly scanned: number;
}

/** One step of reading: what is longer takes several. */
export const stepLength = 16_000;
/** A single block beyond this is shown as it is. */
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

/** Reads on, by one step at most; from the beginning when the text is not a longer one. */
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

/** Quotes and lists inside of each other, so many that the parser's time would grow with the square of their lines. */
const tooDeep = /^(?:[ \t]{0,8}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){24}/mu;

/** How many of the blocks can't change any more, whatever follows. */
function cutOf(slice: string, nodes: readonly RootContent[]): number {
  const last = nodes.at(-1);
  if (last === undefined) return 0;
  // Until its first line is whole, the last block may turn out to belong to the one before: "1" may become "1. b".
  // So may a table whose second line does not say yet how many columns there are.
  const firstEnd = endOfLine(slice, startOf(last), slice.length);
  const isWhole =
    firstEnd !== null &&
    (last.type !== "table" || endOfLine(slice, firstEnd, slice.length) !== null);
  let cut = nodes.length - (isWhole ? 1 : 2);
  while (cut > 0 && !standsApart(slice, nodes[cut - 1], nodes[cut])) cut -= 1;
  return Math.max(0, cut);
}

const fenced = /^ {0,3}(?:```|~~~)/u;

/** Without a blank line between, what a block is may depend on the one before. */
function standsApart(slice: string, before: RootContent | undefined, after?: RootContent): boolean {
  if (before === undefined || after === undefined) return true;
  if (before.type === "heading" || before.type === "thematicBreak") return true;
  // After indented code the parser may treat the next line as if a paragraph were open, even over blank lines. Whether
  // it does depends on the block before the code, so the code is kept together with both neighbours.
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
