import type { SessionView, Subagent, TerminalView, ToolCallItem } from "@landline/protocol";

const none: readonly TerminalView[] = [];

/** The terminals of a call that are in the view. */
export function terminalsOf(
  item: Pick<ToolCallItem, "content">,
  view: Pick<SessionView, "terminals">,
): readonly TerminalView[] {
  if (!item.content.some(({ type }) => type === "terminal")) return none;
  return item.content.flatMap((entry) => {
    if (entry.type !== "terminal") return [];
    const terminal = view.terminals.find(({ terminalId }) => terminalId === entry.terminalId);
    return terminal ? [terminal] : [];
  });
}

/**
 * Whether two views contain the same data for a row. The view is new with each event, but unchanged lists keep
 * their identity, so this mostly compares references.
 */
export function isSameRowData(
  before: SessionView,
  after: SessionView,
  item: ToolCallItem,
): boolean {
  if (before === after) return true;
  if (before.openAsks !== after.openAsks && isAsked(item, before) !== isAsked(item, after)) {
    return false;
  }
  if (before.terminals !== after.terminals) {
    const old = terminalsOf(item, before);
    const next = terminalsOf(item, after);
    if (old.length !== next.length || old.some((one, at) => one !== next[at])) return false;
  }
  if (before.subagents === after.subagents || item.subagent === null) return true;
  return subagentOf(before, item) === subagentOf(after, item);
}

function subagentOf(view: SessionView, item: ToolCallItem): Subagent | undefined {
  return view.subagents.find(({ key }) => key === item.subagent);
}

/** Whether an open permission request is about this call. */
export function isAsked(item: ToolCallItem, view: SessionView): boolean {
  return view.openAsks.some((ask) => {
    const thread =
      ask.subagent === null ? view : view.subagents.find(({ key }) => key === ask.subagent);
    const found = thread?.items.findLast(({ key }) => key === ask.item);
    return (
      found?.type === "ask" && found.ask === "permission" && found.toolCallId === item.toolCallId
    );
  });
}

/** Whether there is anything to open. */
export function hasBody(item: ToolCallItem, subagent: Subagent | undefined): boolean {
  return (
    subagent !== undefined ||
    item.content.length > 0 ||
    item.locations.length > 0 ||
    hasContent(item.rawInput) ||
    hasContent(item.rawOutput)
  );
}

export function hasContent(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
