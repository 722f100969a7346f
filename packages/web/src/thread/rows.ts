import type { AgentExitedItem, Item, PromptItem, ToolCallItem, TurnEnd } from "@landline/protocol";

/** One row of the thread: an item, a group of tool calls, or the end of a turn. */
export type Row = ItemRow | ToolsRow | TurnEndRow;

export interface ItemRow {
  readonly type: "item";
  readonly key: string;
  readonly item: Item;
  /** When the next item started; null for the last one of a running turn. */
  readonly until: number | null;
}

export interface ToolsRow {
  readonly type: "tools";
  readonly key: string;
  readonly items: readonly ToolCallItem[];
}

export interface TurnEndRow {
  readonly type: "turn-end";
  readonly key: string;
  readonly prompt: PromptItem;
  readonly end: TurnEnd;
  /** The agent exit that ended the turn, which is reported once, with the turn. */
  readonly exit: AgentExitedItem | null;
  /** The sequence number that identifies the row. */
  readonly first: number;
}

/** The rows of a list of items. `growRows` reuses unchanged rows. */
export interface Rows {
  readonly rows: readonly Row[];
  readonly byKey: ReadonlyMap<string, Row>;
}

export const noRows: Rows = { rows: [], byKey: new Map() };

/**
 * `opening` is the prompt of the first items' turn if it is before them. An ordinary turn end is not an item but
 * part of its prompt; its row comes before the next prompt, or last unless the turn continues in the next part.
 */
export function growRows(
  before: Rows,
  items: readonly Item[],
  opening: PromptItem | null,
  goesOn = false,
): Rows {
  const rows = rowsOf(items, opening, goesOn).map((row) => {
    const known = before.byKey.get(row.key);
    return known !== undefined && isSame(known, row) ? known : row;
  });
  const isUnchanged =
    rows.length === before.rows.length && rows.every((row, at) => row === before.rows[at]);
  return isUnchanged ? before : { rows, byKey: new Map(rows.map((row) => [row.key, row])) };
}

function rowsOf(items: readonly Item[], opening: PromptItem | null, goesOn: boolean): Row[] {
  const rows: Row[] = [];
  // The calls of the turn that have their own rows.
  const calls = new Set<string>();
  let prompt = opening;
  const endTurn = (first: number) => {
    if (prompt?.end) rows.push(turnEndRow(prompt, prompt.end, takeCauses(rows, prompt.end), first));
    prompt = null;
  };
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) break;
    if (item.type === "prompt") {
      endTurn(item.first);
      prompt = item;
      calls.clear();
    }
    if (isAfterTurn(item, prompt)) endTurn(item.first);
    if (isSaidBy(calls, item)) continue;
    const folded = foldedFrom(items, index);
    const first = folded[0];
    if (first && folded.length > 1) {
      rows.push({ type: "tools", key: first.key, items: folded });
      index += folded.length - 1;
    } else if (item.type === "turn-ended" && prompt?.end) {
      endTurn(item.first);
    } else {
      if (item.type === "tool-call") calls.add(item.toolCallId);
      const until = items[index + 1]?.at ?? prompt?.end?.at ?? null;
      rows.push({ type: "item", key: item.key, item, until });
    }
  }
  if (!goesOn) endTurn(items.at(-1)?.last ?? 0);
  return rows;
}

/**
 * Whether the agent exited or restarted after an ordinary turn end. That end is not an item, and its row must come
 * before this one.
 */
export function isAfterTurn(item: Item | null, prompt: PromptItem | null): boolean {
  if (item === null || !isOfAgent(item)) return false;
  return prompt?.end?.stopReason === "end_turn" && item.at > prompt.end.at;
}

/** Whether the item is about the agent process, which may exit and restart at any time. */
export function isOfAgent({ type }: Item): boolean {
  return type === "agent-exited" || type === "agent-started" || type === "error";
}

/** The row of a call shows that it waits, and the dock shows the request. */
function isSaidBy(calls: ReadonlySet<string>, item: Item): boolean {
  if (item.type !== "ask" || item.ask !== "permission") return false;
  return item.settled === null && item.toolCallId !== null && calls.has(item.toolCallId);
}

/** The sequence number of a row's first event. */
export function firstOf(row: Row): number {
  if (row.type === "item") return row.item.first;
  return row.type === "tools" ? (row.items[0]?.first ?? 0) : row.first;
}

/** How many rows at the end were added after this event. The end of a turn does not count. */
export function countNew(rows: readonly Row[], seen: number): number {
  let count = 0;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row === undefined || (row.type !== "turn-end" && firstOf(row) <= seen)) break;
    const isLineOnly = row.type === "turn-end" && row.end.stopReason === "end_turn";
    if (!isLineOnly && firstOf(row) > seen) count += 1;
  }
  return count;
}

function turnEndRow(
  prompt: PromptItem,
  end: TurnEnd,
  exit: AgentExitedItem | null,
  first: number,
): TurnEndRow {
  return { type: "turn-end", key: `end of ${prompt.key}`, prompt, end, exit, first };
}

/** Removes the rows before a failed turn end that report the same error. Returns the agent exit, if any. */
function takeCauses(rows: Row[], { error, stopReason }: TurnEnd): AgentExitedItem | null {
  let exit: AgentExitedItem | null = null;
  const code = stopReason === "interrupted" ? "agent-exited" : error?.code;
  if (code === undefined) return exit;
  for (let last = rows.at(-1); last?.type === "item"; last = rows.at(-1)) {
    const { item } = last;
    const isSaid = item.type === "error" && item.code === code;
    if (item.type === "agent-exited" && code === "agent-exited") exit = item;
    else if (!isSaid) break;
    rows.pop();
  }
  return exit;
}

function foldedFrom(items: readonly Item[], from: number): readonly ToolCallItem[] {
  const folded: ToolCallItem[] = [];
  for (let index = from; index < items.length; index += 1) {
    const item = items[index];
    if (item?.type !== "tool-call" || !isFolded(item)) break;
    folded.push(item);
  }
  return folded;
}

/** Read-only calls that succeeded are grouped. Failed and unfinished ones have their own row. */
function isFolded(item: ToolCallItem): boolean {
  if (item.kind !== "read" && item.kind !== "search") return false;
  return item.status !== "failed" && item.ended === null && item.subagent === null;
}

function isSame(known: Row, row: Row): boolean {
  if (known.type === "item") {
    return row.type === "item" && known.item === row.item && known.until === row.until;
  }
  if (known.type === "turn-end") {
    return row.type === "turn-end" && known.end === row.end && known.exit === row.exit;
  }
  return (
    row.type === "tools" &&
    known.items.length === row.items.length &&
    known.items.every((item, index) => item === row.items[index])
  );
}
