import { relative, sep } from "node:path";
import { isWithin } from "@landline/shell";
import { searchLimits } from "../limits.ts";
import { globMatcher } from "./glob.ts";
import { localFiles } from "./local-files.ts";
import { nodeSearcher } from "./node-search.ts";
import { openRipgrep } from "./ripgrep.ts";
import { byPlace, type Searcher } from "./searcher.ts";
import {
  type FindOptions,
  type FoundFiles,
  type FoundLines,
  SearchProblem,
  type SearchOptions,
} from "./workspace.ts";

export interface UnsavedTexts {
  /** Files whose text at the client differs from the disk. */
  all(): string[];
  /** The client's text; null when it is not available. */
  read(path: string, signal: AbortSignal | undefined): Promise<string | null>;
}

let ripgrep: Promise<Searcher | null> | undefined;

/** Ripgrep, or the Node search without it. */
export async function openSearcher(): Promise<Searcher> {
  ripgrep ??= openRipgrep();
  const found = await ripgrep;
  // The failure may be temporary.
  if (found === null) ripgrep = undefined;
  return found ?? nodeSearcher;
}

/** Searches the disk, and unsaved text in place of the files on disk. */
export class Search {
  readonly #cwd: string;
  readonly #unsaved: UnsavedTexts;
  readonly #searcher: () => Promise<Searcher>;

  constructor(cwd: string, unsaved: UnsavedTexts, searcher = openSearcher) {
    this.#cwd = cwd;
    this.#unsaved = unsaved;
    this.#searcher = searcher;
  }

  async findFiles(options: FindOptions): Promise<FoundFiles> {
    const { pattern, folder = this.#cwd, limit = searchLimits.results, signal } = options;
    if ((await typeOf(folder)) !== "directory") throw noFolder(folder);
    const matches = globMatcher(pattern);
    const searcher = await this.#searcher();
    const found = await searcher.findFiles({ folder, matches, limit, signal });
    const added = await this.#onlyUnsaved(folder, matches);
    const paths = [...added, ...found.paths];
    return { paths: paths.slice(0, limit), truncated: found.truncated || paths.length > limit };
  }

  async searchText(options: SearchOptions): Promise<FoundLines> {
    const { pattern, path = this.#cwd, include, limit = searchLimits.results, signal } = options;
    const { accepts = () => true } = options;
    const type = await typeOf(path);
    if (type === null) throw noFolder(path);
    const searcher = await this.#searcher();
    const isFolder = type === "directory";
    const wanted = include === undefined || !isFolder ? () => true : globMatcher(include);
    const unsaved = this.#unsaved
      .all()
      .filter((file) => isWithin(path, file) && wanted(below(path, file)) && accepts(file));
    const matches: FoundLines["matches"] = [];
    const searched = new Set<string>();
    for (const file of unsaved) {
      const text = await this.#unsaved.read(file, signal);
      if (text === null) continue;
      searched.add(file);
      const lines = await searcher.searchIn({ pattern, text, limit: limit + 1, signal });
      for (const line of lines) matches.push({ path: file, ...line });
    }
    const found = await searcher.searchText({
      pattern,
      path,
      isFolder,
      include,
      accepts: (file) => !searched.has(file) && accepts(file),
      limit,
      signal,
    });
    matches.push(...found.matches);
    const truncated = found.truncated || matches.length > limit;
    return { matches: matches.sort(byPlace).slice(0, limit), truncated };
  }

  /** Files that exist only at the client. */
  async #onlyUnsaved(folder: string, matches: (path: string) => boolean): Promise<string[]> {
    const added: string[] = [];
    for (const file of this.#unsaved.all()) {
      if (!isWithin(folder, file) || !matches(below(folder, file))) continue;
      if ((await typeOf(file)) === null) added.push(file);
    }
    return added;
  }
}

function below(folder: string, path: string): string {
  return relative(folder, path).replaceAll(sep, "/");
}

async function typeOf(path: string): Promise<string | null> {
  return (await localFiles.stat(path))?.type ?? null;
}

function noFolder(path: string): SearchProblem {
  return new SearchProblem(`There is no folder ${path} to search in.`);
}
