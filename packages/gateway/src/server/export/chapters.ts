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
import { byteLinesOf } from "../../log/log-lines.ts";

export interface ReadableLog {
  read(after: number): AsyncIterable<LogChunk>;
}

/** Finished items of a session's threads, with the view that describes them. */
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
 * The number of latest items of a thread that are not yet written, because they may change, and of items written at
 * once. Both, and `EVENTS_AT_ONCE`, are fewer than the terminals of a view, which drops the oldest output.
 */
const CHANGING_ITEMS = 20;

/** Beyond this number, an open item is written as it is, so that later items do not accumulate in memory. */
const HELD_ITEMS = 2_000;

/** The number of events between two checks of the view. */
const EVENTS_AT_ONCE = 32;

/**
 * Yields the session from its beginning in pieces that are released once written, so memory use does not grow with the
 * log. Each item is written once, in order.
 */
export async function* chaptersOf(log: ReadableLog): AsyncGenerator<Chapter> {
  let view = emptyView();
  let written: ReadonlySet<string> = new Set();
  const pending = ({ items }: Thread) => items.filter(({ key }) => !written.has(key));
  for await (const chunk of log.read(0)) {
    const events = byteLinesOf(chunk).map((line) => decodeLine(line.toString()));
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

/** The number of leading items that can be written. */
function readyCount(items: readonly Item[]): number {
  const old = Math.max(0, items.length - CHANGING_ITEMS);
  if (items.length > HELD_ITEMS) return old;
  const open = items.findIndex(isOpen);
  return open < 0 ? old : Math.min(old, open);
}

/**
 * The number of leading items up to the prompt of this turn. Earlier items are final. Subagents are written after the
 * items that started them.
 */
function askedCount(items: readonly Item[]): number {
  const asked = items.findLastIndex(({ type }) => type === "prompt") + 1;
  const open = items.findIndex(isOpen);
  return open < 0 ? asked : Math.min(asked, open);
}

/** A prompt does not change once it is sent. */
function isOpen(item: Item): boolean {
  if (item.type === "ask") return item.settled === null;
  return item.type === "tool-call" && (item.endedAt === null || isAwaited(item.execution));
}

function isFilled({ items }: SubagentPart): boolean {
  return items.length > 0;
}

/** The keys of written items that are still in the view, which keeps items that may change. */
function stillThere(
  view: SessionView,
  before: ReadonlySet<string>,
  now: readonly (readonly Item[])[],
): ReadonlySet<string> {
  const all = new Set([...before, ...now.flat().map(({ key }) => key)]);
  const there = [view, ...view.subagents].flatMap(({ items }) => items.map(({ key }) => key));
  return new Set(there.filter((key) => all.has(key)));
}
