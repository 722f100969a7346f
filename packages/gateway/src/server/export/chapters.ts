import {
  decodeLine,
  emptyView,
  fold,
  isAwaited,
  trimView,
  type Item,
  type SessionView,
  type Subagent,
  type Thread,
} from "@landline/protocol";
import type { LogChunk } from "../../log/log.ts";
import { linesOf } from "../sse.ts";

export interface ReadableLog {
  read(after: number): AsyncIterable<LogChunk>;
}

/** A part of a session that nothing more is expected of: items of its threads, and what the view says about them. */
export interface Chapter {
  readonly view: SessionView;
  readonly items: readonly Item[];
  readonly subagents: readonly SubagentPart[];
  readonly isLast: boolean;
}

export interface SubagentPart {
  readonly subagent: Subagent;
  readonly items: readonly Item[];
}

/**
 * So many of the latest items of a thread are not written yet: they may go on. As many are written at once. Both, and
 * what is read at once, are fewer than the terminals of a view, which forgets what the oldest wrote.
 */
const CHANGING_ITEMS = 20;

/** Beyond this one that is still open is written as it is, so that those behind it are not kept in memory. */
const HELD_ITEMS = 2_000;

/** The view is looked at after so many events. */
const EVENTS_AT_ONCE = 32;

/**
 * The session from its beginning, in pieces that are forgotten once they are written: what is held in memory does not
 * grow with the log. Each item is written once, in its place.
 */
export async function* chaptersOf(log: ReadableLog): AsyncGenerator<Chapter> {
  let view = emptyView();
  let written: ReadonlySet<string> = new Set();
  const pending = ({ items }: Thread) => items.filter(({ key }) => !written.has(key));
  for await (const { bytes } of log.read(0)) {
    const events = linesOf(bytes).map((line) => decodeLine(line.toString()));
    for (const some of chunksOf(events)) {
      view = fold(view, some);
      const root = pending(view);
      const threads = view.subagents.map((subagent) => ({ subagent, items: pending(subagent) }));
      const children = threads.map(({ items }) => items);
      if ([root, ...children].every((items) => readyCount(items) < CHANGING_ITEMS)) continue;
      const ready = Math.max(readyCount(root), askedCount(root));
      const waiting = children.map((items) => items.length - readyCount(items));
      const trimmed = trimView(view, Math.max(root.length - ready, ...waiting));
      const kept = new Set(trimmed.subagents.map(({ key }) => key));
      const subagents = threads.map(({ subagent, items }) => ({
        subagent,
        items: kept.has(subagent.key) ? items.slice(0, readyCount(items)) : items,
      }));
      const items = root.slice(0, ready);
      yield { view, items, subagents: subagents.filter(isFilled), isLast: false };
      written = stillThere(trimmed, written, [items, ...subagents.map((part) => part.items)]);
      view = trimmed;
    }
  }
  const subagents = view.subagents.map((subagent) => ({ subagent, items: pending(subagent) }));
  yield { view, items: pending(view), subagents: subagents.filter(isFilled), isLast: true };
}

function* chunksOf<Value>(values: Iterable<Value>): Generator<Value[]> {
  let chunk: Value[] = [];
  for (const value of values) {
    chunk.push(value);
    if (chunk.length < EVENTS_AT_ONCE) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** How many from the first on can be written. */
function readyCount(items: readonly Item[]): number {
  const old = Math.max(0, items.length - CHANGING_ITEMS);
  if (items.length > HELD_ITEMS) return old;
  const open = items.findIndex(isOpen);
  return open < 0 ? old : Math.min(old, open);
}

/** Up to the prompt of this turn, which ended those before it: what a subagent does stands behind what led to it. */
function askedCount(items: readonly Item[]): number {
  const asked = items.findLastIndex(({ type }) => type === "prompt") + 1;
  const open = items.findIndex(isOpen);
  return open < 0 ? asked : Math.min(asked, open);
}

/** A prompt says all that it has to say at once. */
function isOpen(item: Item): boolean {
  if (item.type === "ask") return item.settled === null;
  return item.type === "tool-call" && (item.endedAt === null || isAwaited(item.execution));
}

function isFilled({ items }: SubagentPart): boolean {
  return items.length > 0;
}

/** A view keeps what may still grow, also when it is written. */
function stillThere(
  view: SessionView,
  before: ReadonlySet<string>,
  now: readonly (readonly Item[])[],
): ReadonlySet<string> {
  const all = new Set([...before, ...now.flat().map(({ key }) => key)]);
  const there = [view, ...view.subagents].flatMap(({ items }) => items.map(({ key }) => key));
  return new Set(there.filter((key) => all.has(key)));
}
