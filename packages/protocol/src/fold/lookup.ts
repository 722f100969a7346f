import type { SessionView, Thread } from "../view.ts";
import type { Item } from "../view/item.ts";
import { growingIn, noteGrowing, type Growing } from "./growing.ts";

/**
 * Positions in a view by id. A fold passes the lookup to its result. A fold from an older or a newly parsed view
 * builds a new one.
 */
export interface Lookup {
  readonly root: ThreadLookup;
  /** By position in `view.subagents`. */
  readonly threads: ThreadLookup[];
  readonly subagentBySession: Map<string, number>;
  readonly subagentByKey: Map<string, number>;
  readonly asks: Map<string, Place>;
  /** The position of the prompt's item, or null while the prompt is queued. */
  readonly prompts: Map<string, number | null>;
  readonly terminals: Map<string, number>;
  readonly files: Map<string, number>;
}

/** The session's own thread, or the position of a subagent. */
export type Where = number | "root";

interface Place {
  readonly where: Where;
  readonly position: number;
}

export interface ThreadLookup {
  /** All tool calls, by type and id. */
  readonly items: Map<string, number>;
  /** Messages, thoughts, compactions and messages between agents, by type and id. */
  readonly growing: Growing;
  readonly openToolCalls: Set<number>;
  /** Positions of subagents by the call that they wait for (`Subagent.awaits`). */
  readonly awaiting: Map<string, number>;
}

export function isOpenToolCall(item: Item): boolean {
  return item.type === "tool-call" && item.ended === null && !isEndStatus(item.status);
}

export function isEndStatus(status: string): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export function emptyThreadLookup(): ThreadLookup {
  return {
    items: new Map(),
    growing: new Map(),
    openToolCalls: new Set(),
    awaiting: new Map(),
  };
}

/** Registers an item at its position. Call it once per item, on append. */
export function noteItem(lookup: Lookup, where: Where, item: Item, position: number): void {
  const thread = threadLookup(lookup, where);
  if (thread !== undefined) noteGrowing(thread.growing, item, position);
  noteIds(lookup, where, item, position);
}

function noteIds(lookup: Lookup, where: Where, item: Item, position: number): void {
  const thread = threadLookup(lookup, where);
  if (item.type === "tool-call") thread?.items.set(`tool ${item.toolCallId}`, position);
  if (isOpenToolCall(item)) thread?.openToolCalls.add(position);
  if (item.type === "ask") lookup.asks.set(item.askId, { where, position });
  if (item.type === "prompt") lookup.prompts.set(item.promptId, position);
}

export function buildLookup(view: SessionView): Lookup {
  const lookup: Lookup = {
    root: emptyThreadLookup(),
    threads: [],
    subagentBySession: new Map(),
    subagentByKey: new Map(),
    asks: new Map(),
    prompts: new Map(view.queue.map((prompt) => [prompt.promptId, null])),
    terminals: new Map(view.terminals.map((terminal, at) => [terminal.terminalId, at])),
    files: new Map(view.files.touched.map((file, at) => [file.path, at])),
  };
  noteThread(lookup, "root", view);
  for (const [position, subagent] of view.subagents.entries()) {
    lookup.threads.push(emptyThreadLookup());
    lookup.subagentByKey.set(subagent.key, position);
    if (subagent.sessionId !== null) lookup.subagentBySession.set(subagent.sessionId, position);
    noteThread(lookup, position, subagent);
  }
  for (const [position, { parent, awaits }] of view.subagents.entries()) {
    const where = parent === null ? "root" : lookup.subagentByKey.get(parent);
    if (awaits !== undefined && where !== undefined)
      threadLookup(lookup, where)?.awaiting.set(awaits, position);
  }
  return lookup;
}

export function threadLookup(lookup: Lookup, where: Where): ThreadLookup | undefined {
  return where === "root" ? lookup.root : lookup.threads[where];
}

function noteThread(lookup: Lookup, where: Where, thread: Thread): void {
  for (const [position, item] of thread.items.entries()) noteIds(lookup, where, item, position);
  const growing = threadLookup(lookup, where)?.growing;
  for (const [name, position] of growingIn(thread.items)) growing?.set(name, position);
}
