import { toolLimits } from "../limits.ts";
import { textContent, type ToolContent } from "./tool.ts";

/** Time limit of a diff. After it, everything between the first and the last change counts as changed. */
const diffMs = 200;

export interface LineChange {
  /** 1-based line numbers; for added lines, where they are inserted. */
  oldStart: number;
  newStart: number;
  /** Lines of a unified diff. */
  lines: string[];
}

/** The changes with context. Bounded by `diffMs`. */
export async function lineChanges(before: string, after: string): Promise<LineChange[]> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", before, after, "", "", {
    context: 3,
    timeout: diffMs,
  });
  return patch?.hunks ?? [roughChange(before, after)];
}

/** Everything between the first and the last change. */
function roughChange(before: string, after: string): LineChange {
  const old = before.split("\n");
  const now = after.split("\n");
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first += 1;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  const removed = old.slice(first, old.length - last).map((line) => `-${line}`);
  const added = now.slice(first, now.length - last).map((line) => `+${line}`);
  return { oldStart: first + 1, newStart: first + 1, lines: removed.concat(added) };
}

export interface LineCounts {
  additions: number;
  deletions: number;
}

export function countLines(changes: readonly LineChange[]): LineCounts {
  let additions = 0;
  let deletions = 0;
  for (const { lines } of changes) {
    for (const line of lines) {
      if (line.startsWith("+")) additions += 1;
      if (line.startsWith("-")) deletions += 1;
    }
  }
  return { additions, deletions };
}

/** For the user: both complete texts; of large ones only the changed parts. Null: no file. */
export async function diffContent(
  path: string,
  before: string | null,
  after: string | null,
): Promise<ToolContent[]> {
  const newText = after ?? "";
  if ((before?.length ?? 0) + newText.length <= toolLimits.diffCharacters) {
    return [{ type: "diff", path, oldText: before, newText }];
  }
  const { oldText, shownText, cut } = shownParts(await lineChanges(before ?? "", newText));
  const note = `This file is large: ${cut ? "the first of the changed parts are shown" : "only the changed parts are shown"}.`;
  return [
    ...textContent(note),
    { type: "diff", path, oldText: before === null ? null : oldText, newText: shownText },
  ];
}

function shownParts(changes: readonly LineChange[]) {
  const old: string[] = [];
  const now: string[] = [];
  let room: number = toolLimits.diffCharacters;
  for (const { oldStart, newStart, lines } of changes) {
    old.push(`⋯ line ${oldStart}`);
    now.push(`⋯ line ${newStart}`);
    for (const line of lines) {
      // `\ No newline at end of file` is not a line of the text.
      if (line.startsWith("\\")) continue;
      room -= line.length;
      if (room < 0) return { oldText: old.join("\n"), shownText: now.join("\n"), cut: true };
      if (!line.startsWith("+")) old.push(line.slice(1));
      if (!line.startsWith("-")) now.push(line.slice(1));
    }
  }
  return { oldText: old.join("\n"), shownText: now.join("\n"), cut: false };
}

/** For the model: a short diff. */
export function describeChanges(changes: readonly LineChange[]): { text: string; isCut: boolean } {
  const lines = changes.flatMap(({ newStart, lines: changed }) => [
    `@@ line ${newStart} @@`,
    ...changed,
  ]);
  const text = lines.join("\n");
  if (text.length <= toolLimits.describedCharacters) return { text, isCut: false };
  const cut = text.slice(0, toolLimits.describedCharacters);
  const shown = `${cut.slice(0, cut.lastIndexOf("\n"))}\n(The rest of the change is left out.)`;
  return { text: shown, isCut: true };
}

/** 1-based line of the first difference. */
export function firstChangedLine(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let line = 1;
  for (let at = 0; at < most && before[at] === after[at]; at += 1) {
    if (after[at] === "\n") line += 1;
  }
  return line;
}
