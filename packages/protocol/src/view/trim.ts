import { isOpenToolCall } from "../fold/lookup.ts";
import type { SessionView, Subagent, TerminalView, Thread } from "../view.ts";
import type { Item } from "./item.ts";

/**
 * A shorter view for a snapshot: the last `items` items of each thread, and before them what is still
 * open. Subagents and terminals that have ended go with the last item that shows them. `trimmed` says
 * how many items are missing and before which event they are to be read. It can be folded on.
 */
export function trimView(view: SessionView, items: number): SessionView {
  const root = trimThread(view, items, view.head);
  const threads = view.subagents.map((subagent) => trimThread(subagent, items, view.head));
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

function trimThread<Kind extends Thread>(thread: Kind, items: number, head: number): Kind {
  const start = Math.max(0, thread.items.length - Math.max(0, Math.floor(items)));
  const open = thread.items.slice(0, start).filter(isOpen);
  const removed = start - open.length;
  if (removed === 0) return thread;
  const tail = thread.items.slice(start);
  return {
    ...thread,
    items: [...open, ...tail],
    trimmed: {
      items: removed + (thread.trimmed?.items ?? 0),
      before: tail[0]?.first ?? head + 1,
    },
  };
}

function isOpen(item: Item): boolean {
  if (item.type === "ask") return item.settled === null;
  return item.type === "prompt" ? item.end === null : isOpenToolCall(item);
}

/** Those that are still at work, and those that an item shows which is shown itself. */
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
  // The list grows while it is walked.
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
