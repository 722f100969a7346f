import type { FoundFiles, FoundLines } from "./workspace.ts";

/** What can look through files: ripgrep, or plain Node where that is missing. Throws SearchProblem. */
export interface Searcher {
  findFiles(options: {
    folder: string;
    /** Of the path below the folder, with `/`. */
    matches: (path: string) => boolean;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<FoundFiles>;
  searchText(options: {
    pattern: string;
    /** A folder, or one file. */
    path: string;
    isFolder: boolean;
    include: string | undefined;
    /** Whether a file, by its absolute path, counts. */
    accepts: (path: string) => boolean;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<FoundLines>;
  /** Lines of a text that is in no file. */
  searchIn(options: {
    pattern: string;
    text: string;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<{ line: number; text: string }[]>;
}

export type FoundLine = FoundLines["matches"][number];

export function byPlace(one: FoundLine, other: FoundLine): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return one.line - other.line;
}
