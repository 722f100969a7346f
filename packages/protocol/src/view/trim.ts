import { isAwaited } from "../execution.ts";
import { growingIn } from "../fold/growing.ts";
import { isOpenToolCall } from "../fold/lookup.ts";
import type { SessionView, Subagent, TerminalView, Thread } from "../view.ts";
import type { Item } from "./item.ts";

/**
 * A shorter view for a snapshot: the last `items` items of each thread (at least one), and earlier items that are
 * open or can grow. Subagents and terminals that have ended are removed with the last item that refers to them.
 * `trimmed` counts the omitted items and names the event before which to read them. The result can be folded further.
 */
export function trimView(view: SessionView, items: number): SessionView {
  const root = trimThread(view, items);
  const threads = view.subagents.map((subagent) => trimThread(subagent, items));
  const shown = shownSubagents(root, threads);
  const subagents = threads.filter((subagent) => shown.has(subagent.key));
  const terminals = trimTerminals(root, subagents);
  if (
    root === view &&
    terminals.length === view.terminals.length &&
    sameEntries(subagents, view.subagents)
  )
    return view;
  return { ...root, subagents, terminals };
}

function trimThread<Kind extends Thread>(thread: Kind, items: number): Kind {
  // A chunk without an id extends the last item, so the last item is always included.
  const kept = Math.max(1, Math.floor(items));
  const start = Math.max(aheadOf(thread), thread.items.length - kept);
  if (start === 0) return thread;
  const growing = new Set(growingIn(thread.items).values());
  const ahead = thread.items
    .slice(0, start)
    .filter((item, position) => isOpen(item) || growing.has(position));
  const removed = start - ahead.length;
  const tail = thread.items.slice(start);
  const [first] = tail;
  if (removed === 0 || first === undefined) return thread;
  return {
    ...thread,
    items: [...ahead, ...tail],
    trimmed: { items: removed + (thread.trimmed?.items ?? 0), before: first.first },
  };
}

/** The number of items before the window of a view that was already trimmed. */
function aheadOf({ items, trimmed }: Thread): number {
  return trimmed === null ? 0 : items.findIndex(({ first }) => first >= trimmed.before);
}

function isOpen(item: Item): boolean {
  if (item.type === "ask") return item.settled === null;
  if (item.type === "prompt") return item.end === null;
  // A permission answer can still change a call that has ended.
  return isOpenToolCall(item) || (item.type === "tool-call" && isAwaited(item.execution));
}

/** Subagents that are still working, and subagents of items that are included. */
function shownSubagents(root: Thread, subagents: readonly Subagent[]): ReadonlySet<string> {
  const byKey = new Map(subagents.map((subagent) => [subagent.key, subagent]));
  const shown = new Set<string>();
  const toVisit: Subagent[] = [];
  const show = (key: string | null) => {
    const subagent = key === null ? undefined : byKey.get(key);
    if (subagent === undefined || shown.has(subagent.key)) return;
    shown.add(subagent.key);
    toVisit.push(subagent);
  };
  const showItems = (thread: Thread) => {
    for (const item of thread.items) if (item.type === "tool-call") show(item.subagent);
  };
  showItems(root);
  for (const subagent of subagents) {
    if (!endStates.has(subagent.state) || subagent.items.some(isOpen)) show(subagent.key);
  }
  // The loop appends to the list.
  for (const subagent of toVisit) {
    show(subagent.parent);
    showItems(subagent);
  }
  return shown;
}

const endStates: ReadonlySet<string> = new Set(["completed", "failed", "cancelled", "unfinished"]);

function trimTerminals(view: SessionView, subagents: readonly Subagent[]): readonly TerminalView[] {
  const before = view.trimmed?.before ?? 0;
  const shown = new Set<string>();
  for (const thread of [view, ...subagents]) {
    for (const item of thread.items) {
      if (item.type !== "tool-call") continue;
      for (const entry of item.content) if (entry.type === "terminal") shown.add(entry.terminalId);
    }
  }
  return view.terminals.filter(
    ({ exit, last, terminalId }) => exit === null || last >= before || shown.has(terminalId),
  );
}

function sameEntries<Entry>(some: readonly Entry[], others: readonly Entry[]): boolean {
  return some.length === others.length && some.every((entry, at) => entry === others[at]);
}
