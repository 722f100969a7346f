import type { FoundFiles, FoundLines } from "./workspace.ts";

/** Implemented by ripgrep and by plain Node. Throws SearchProblem. */
export interface Searcher {
  findFiles(options: {
    folder: string;
    /** Gets the path below the folder, with `/`. */
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
    /** Filters files by absolute path. */
    accepts: (path: string) => boolean;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<FoundLines>;
  /** Searches a text that is not in a file. */
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
