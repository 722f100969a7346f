import type { FileHandle } from "node:fs/promises";
import type { FoundFiles, FoundLines } from "./workspace.ts";

/**
 * Implemented by ripgrep and by plain Node. Throws SearchProblem. A folder below may be replaced by a link during a search,
 * so the caller checks what was found.
 */
export interface Searcher {
  findFiles(options: {
    /** The folder in the paths of the result. */
    folder: string;
    /** Where the folder is open. */
    at: string;
    /** Gets the path below the folder, with `/`. */
    matches: (path: string) => boolean;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<FoundFiles>;
  searchText(options: {
    pattern: string;
    folder: string;
    at: string;
    include: string | undefined;
    /** Filters files by absolute path. */
    accepts: (path: string) => boolean;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<FoundLines>;
  /** Searches an open file from its beginning. */
  searchFile(options: {
    pattern: string;
    file: FileHandle;
    limit: number;
    signal?: AbortSignal | undefined;
  }): Promise<{ line: number; text: string }[]>;
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
