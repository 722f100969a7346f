import type { structuredPatch } from "diff";

/** One line of a diff. `partner` is the row on the other side that it is aligned with, if any. */
export interface DiffRow {
  readonly type: "same" | "added" | "removed";
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  readonly text: string;
  readonly partner: number | null;
}

export interface DiffModel {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
  /** False if the texts differ too much: then both are shown in full, one after the other. */
  readonly isCompared: boolean;
  /** Whether the last line of each side has no newline. */
  readonly noNewline: { readonly old: boolean; readonly new: boolean };
}

type Compare = typeof structuredPatch;

const TIMEOUT_MS = 250;

export function diffModel(compare: Compare, oldText: string, newText: string): DiffModel {
  const patch = compare("a", "b", oldText, newText, undefined, undefined, {
    context: Number.MAX_SAFE_INTEGER,
    timeout: TIMEOUT_MS,
  });
  const lines =
    patch?.hunks.length === 0
      ? linesOf(newText).map((line) => ` ${line}`)
      : (patch?.hunks.flatMap((hunk) => hunk.lines) ?? wholeLines(oldText, newText));
  return {
    ...rowsOf(lines.filter((line) => !line.startsWith("\\"))),
    isCompared: patch !== undefined,
    noNewline: { old: hasNoNewline(oldText), new: hasNoNewline(newText) },
  };
}

function wholeLines(oldText: string, newText: string): string[] {
  return [
    ...linesOf(oldText).map((line) => `-${line}`),
    ...linesOf(newText).map((line) => `+${line}`),
  ];
}

export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function hasNoNewline(text: string): boolean {
  return text !== "" && !text.endsWith("\n");
}

function rowsOf(lines: readonly string[]): Pick<DiffModel, "rows" | "added" | "removed"> {
  const rows: DiffRow[] = [];
  let oldNumber = 0;
  let newNumber = 0;
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith("-")) {
      oldNumber += 1;
      removed += 1;
      rows.push({ type: "removed", oldNumber, newNumber: null, text, partner: null });
    } else if (line.startsWith("+")) {
      newNumber += 1;
      added += 1;
      rows.push({ type: "added", oldNumber: null, newNumber, text, partner: null });
    } else {
      oldNumber += 1;
      newNumber += 1;
      rows.push({ type: "same", oldNumber, newNumber, text, partner: null });
    }
  }
  pair(rows);
  return { rows, added, removed };
}

/** Within each block of changes, aligns the first removed line with the first added one, and so on. */
function pair(rows: DiffRow[]): void {
  for (let at = 0; at < rows.length;) {
    const removedTo = endOf(rows, at, "removed");
    const addedTo = endOf(rows, removedTo, "added");
    for (let step = 0; step < Math.min(removedTo - at, addedTo - removedTo); step += 1) {
      const old = rows[at + step];
      const next = rows[removedTo + step];
      if (old) rows[at + step] = { ...old, partner: removedTo + step };
      if (next) rows[removedTo + step] = { ...next, partner: at + step };
    }
    at = Math.max(addedTo, at + 1);
  }
}

function endOf(rows: readonly DiffRow[], from: number, type: DiffRow["type"]): number {
  let to = from;
  while (rows[to]?.type === type) to += 1;
  return to;
}

/** A range of rows [from, to), shown or hidden until requested. */
export interface DiffPart {
  readonly type: "shown" | "gap";
  readonly from: number;
  readonly to: number;
}

const CONTEXT = 3;

/** The changed rows with three lines of context. A gap of a single line is shown. */
export function diffParts(
  rows: readonly DiffRow[],
  opened: ReadonlySet<number> = new Set(),
): DiffPart[] {
  const parts: DiffPart[] = [];
  let at = 0;
  for (const hunk of hunksOf(rows)) {
    addGap(parts, at, hunk.from, opened);
    addShown(parts, hunk.from, hunk.to);
    at = hunk.to;
  }
  addGap(parts, at, rows.length, opened);
  return parts;
}

function hunksOf(rows: readonly DiffRow[]): { from: number; to: number }[] {
  const hunks: { from: number; to: number }[] = [];
  rows.forEach((row, at) => {
    if (row.type === "same") return;
    const last = hunks.at(-1);
    const from = Math.max(0, at - CONTEXT);
    const to = Math.min(rows.length, at + CONTEXT + 1);
    if (last && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  });
  return hunks;
}

function addGap(parts: DiffPart[], from: number, to: number, opened: ReadonlySet<number>): void {
  if (to <= from) return;
  if (to - from === 1 || opened.has(from)) addShown(parts, from, to);
  else parts.push({ type: "gap", from, to });
}

function addShown(parts: DiffPart[], from: number, to: number): void {
  const last = parts.at(-1);
  if (last?.type === "shown" && last.to === from) parts[parts.length - 1] = { ...last, to };
  else parts.push({ type: "shown", from, to });
}

/** The parts up to a number of rows, and how many rows are left out. */
export function firstParts(
  parts: readonly DiffPart[],
  limit: number,
): { readonly parts: readonly DiffPart[]; readonly left: number } {
  const kept: DiffPart[] = [];
  let room = limit;
  let left = 0;
  for (const part of parts) {
    const length = part.type === "gap" ? 0 : part.to - part.from;
    if (room > 0) kept.push(length > room ? { ...part, to: part.from + room } : part);
    left += Math.max(0, length - Math.max(0, room));
    room -= length;
  }
  return { parts: kept, left };
}

export interface SplitRow {
  readonly old: DiffRow | null;
  readonly new: DiffRow | null;
}

/** Rows side by side. A part that ends within a block of changes leaves the other side empty. */
export function splitRows(rows: readonly DiffRow[], from: number, to: number): SplitRow[] {
  const split: SplitRow[] = [];
  for (let at = from; at < to; at += 1) {
    const row = rows[at];
    if (row === undefined) continue;
    const partner = row.partner === null ? null : (rows[row.partner] ?? null);
    if (row.type === "same") split.push({ old: row, new: row });
    else if (row.type === "removed") split.push({ old: row, new: partner });
    else if (partner === null || (row.partner ?? 0) < from) split.push({ old: null, new: row });
  }
  return split;
}
