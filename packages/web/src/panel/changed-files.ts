import type { SessionView, ToolCallItem } from "@landline/protocol";
import { changesOf } from "../tools/call-changes.ts";
import type { LineCount } from "../tools/line-count.ts";
import { absolutePath } from "../tools/paths.ts";

/** A file that the session wrote. */
export interface ChangedFile {
  readonly path: string;
  /** From the diffs of tool calls; null if there is no diff. */
  readonly count: LineCount | null;
  /** The first event of the last call that changed it; null if only the gateway wrote it. */
  readonly call: number | null;
}

type CountOf = (item: ToolCallItem) => Promise<LineCount | null>;

/**
 * Files in the order of their first change, from calls that were or may still be carried out and from writes of
 * the gateway. `views` are consecutive parts, the newest last.
 */
export async function changedFiles(
  views: readonly SessionView[],
  countOf: CountOf,
): Promise<ChangedFile[]> {
  const files = new Map<string, ChangedFile>();
  const cwd = views.at(-1)?.session.cwd ?? "";
  for (const item of callsOf(views)) {
    if (!hasChanged(item)) continue;
    const changes = changesOf(item);
    // A call that changes several files has one count for all, which belongs to none of them.
    const count = changes.length === 1 ? await countOf(item) : null;
    for (const path of pathsOf(item, cwd)) {
      const before = files.get(path)?.count ?? null;
      files.set(path, { path, count: sum(before, count), call: item.first });
    }
  }
  for (const { path, writes } of views.at(-1)?.files.touched ?? []) {
    if (writes > 0 && !files.has(path)) files.set(path, { path, count: null, call: null });
  }
  return [...files.values()];
}

/** Each call once, from the latest part: an unfinished call is in two parts. */
function callsOf(views: readonly SessionView[]): Iterable<ToolCallItem> {
  const calls = new Map<string, ToolCallItem>();
  for (const view of views) {
    const threads = [{ key: "", items: view.items }, ...view.subagents];
    for (const { key, items } of threads) {
      for (const item of items)
        if (item.type === "tool-call") calls.set(`${key} ${item.key}`, item);
    }
  }
  return calls.values();
}

const changing: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

function hasChanged(item: ToolCallItem): boolean {
  if (item.ended !== null || item.status !== "completed") return false;
  return changing.has(item.kind) || item.content.some(({ type }) => type === "diff");
}

function pathsOf(item: ToolCallItem, cwd: string): ReadonlySet<string> {
  const named = changesOf(item).map(({ path }) => path);
  const paths = named.length > 0 ? named : item.locations.map(({ path }) => path);
  return new Set(paths.map((path) => absolutePath(path, cwd) ?? path));
}

function sum(one: LineCount | null, other: LineCount | null): LineCount | null {
  if (one === null || other === null) return one ?? other;
  return { added: one.added + other.added, removed: one.removed + other.removed };
}
