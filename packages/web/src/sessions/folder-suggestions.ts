import type { FolderListing } from "@landline/client";
import type { SessionSummary } from "@landline/protocol";
import { folderName, splitTyped } from "./folder-path.ts";

export interface FolderSuggestion {
  readonly kind: "recent" | "parent" | "child";
  readonly name: string;
  readonly path: string;
}

const recentKept = 6;

/** The folders of the sessions, the latest first, and the gateway's own. */
export function recentFolders(
  sessions: readonly SessionSummary[],
  started: string | null,
): readonly string[] {
  const folders = new Set<string>();
  for (const { cwd } of sessions) {
    if (folders.size === recentKept) break;
    folders.add(cwd);
  }
  if (started !== null) folders.add(started);
  return [...folders];
}

export interface SuggestWanted {
  /** The full typed path. */
  readonly path: string;
  /** Whether nothing was typed yet: then recent folders are suggested. */
  readonly isUntouched: boolean;
  readonly recent: readonly string[];
  readonly listing: FolderListing | null;
}

export function suggestFolders(wanted: SuggestWanted): readonly FolderSuggestion[] {
  const { path, isUntouched, recent, listing } = wanted;
  if (isUntouched) {
    return recent.map((folder) => ({ kind: "recent", name: folderName(folder), path: folder }));
  }
  const { start } = splitTyped(path);
  const lower = start.toLowerCase();
  const children = (listing?.folders ?? [])
    .filter(({ name }) => name.toLowerCase().startsWith(lower))
    .map(({ name, path: child }): FolderSuggestion => ({ kind: "child", name, path: child }));
  const parent = start === "" ? (listing?.parent ?? null) : null;
  if (parent === null) return children;
  return [{ kind: "parent", name: "..", path: parent }, ...children];
}
