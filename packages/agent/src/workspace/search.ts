import { dirname, join, relative, sep } from "node:path";
import { isWithin, realPath } from "@landline/shell";
import { searchLimits } from "../limits.ts";
import { globMatcher } from "./glob.ts";
import { localFiles } from "./local-files.ts";
import { inLocatedFolder, openLocated } from "./located-path.ts";
import { nodeSearcher, textOf } from "./node-search.ts";
import { openRipgrep } from "./ripgrep.ts";
import type { Roots } from "./roots.ts";
import { byPlace, type FoundLine, type Searcher } from "./searcher.ts";
import {
  type FindOptions,
  type FoundFiles,
  type FoundLines,
  type LocatedPath,
  SearchProblem,
  type SearchOptions,
} from "./workspace.ts";

export interface UnsavedTexts {
  /** Files whose text at the client differs from the disk. */
  all(): string[];
  /** The client's text; null when it is not available. */
  read(file: LocatedPath, signal: AbortSignal | undefined): Promise<string | null>;
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

/**
 * Searches the disk, and unsaved text in place of the files on disk. The folder is kept open, and what was found is
 * checked: a program may replace a folder by a link during the search.
 */
export class Search {
  readonly #roots: Roots;
  readonly #unsaved: UnsavedTexts;
  readonly #searcher: () => Promise<Searcher>;

  constructor(roots: Roots, unsaved: UnsavedTexts, searcher = openSearcher) {
    this.#roots = roots;
    this.#unsaved = unsaved;
    this.#searcher = searcher;
  }

  async findFiles(options: FindOptions): Promise<FoundFiles> {
    const { pattern, limit = searchLimits.results, signal } = options;
    const folder = options.folder ?? (await this.#cwd());
    if ((await typeOf(folder)) !== "directory") throw noFolder(folder);
    const matches = globMatcher(pattern);
    const searcher = await this.#searcher();
    const found = await inLocatedFolder(folder, { make: false }, async (at) =>
      searcher.findFiles({ folder: folder.path, at: await at("."), matches, limit, signal }),
    );
    const added = await this.#onlyUnsaved(folder, matches);
    const paths = [...added, ...(await inSameFolders(folder, found.paths))];
    return { paths: paths.slice(0, limit), truncated: found.truncated || paths.length > limit };
  }

  async searchText(options: SearchOptions): Promise<FoundLines> {
    const { pattern, include, limit = searchLimits.results, signal } = options;
    const { accepts = () => true } = options;
    const place = options.place ?? (await this.#cwd());
    const type = await typeOf(place);
    if (type === null) throw noFolder(place);
    const searcher = await this.#searcher();
    const isFolder = type === "directory";
    const wanted = include === undefined || !isFolder ? () => true : globMatcher(include);
    const unsaved = this.#unsaved
      .all()
      .filter((file) => isWithin(place.path, file) && wanted(nameIn(place, file)) && accepts(file));
    const matches: FoundLines["matches"] = [];
    const searched = new Set<string>();
    for (const file of unsaved) {
      const text = await this.#unsaved.read(below(place, file), signal);
      if (text === null) continue;
      searched.add(file);
      const lines = await searcher.searchIn({ pattern, text, limit: limit + 1, signal });
      for (const line of lines) matches.push({ path: file, ...line });
    }
    const isUnsearched = (file: string) => !searched.has(file) && accepts(file);
    const given = { ...options, limit, accepts: isUnsearched };
    const found = isFolder
      ? await searchFolder(searcher, place, given)
      : await searchFile(searcher, place, given);
    matches.push(...found.matches);
    const truncated = found.truncated || matches.length > limit;
    return { matches: matches.sort(byPlace).slice(0, limit), truncated };
  }

  #cwd(): Promise<LocatedPath> {
    return this.#roots.locate(this.#roots.cwd);
  }

  /** Files that exist only at the client. */
  async #onlyUnsaved(folder: LocatedPath, matches: (path: string) => boolean): Promise<string[]> {
    const added: string[] = [];
    for (const file of this.#unsaved.all()) {
      if (!isWithin(folder.path, file) || !matches(nameIn(folder, file))) continue;
      if ((await typeOf(below(folder, file))) === null) added.push(file);
    }
    return added;
  }
}

type Given = SearchOptions & { limit: number; accepts: (path: string) => boolean };

async function searchFile(
  searcher: Searcher,
  place: LocatedPath,
  { pattern, include, accepts, limit, signal }: Given,
): Promise<FoundLines> {
  const isWanted = include === undefined || globMatcher(include)(place.path.replaceAll(sep, "/"));
  if (!isWanted || !accepts(place.path)) return { matches: [], truncated: false };
  await using file = await openLocated(place);
  const lines = await searcher.searchFile({ pattern, file, limit: limit + 1, signal });
  const matches = lines.map(({ line, text }) => ({ path: place.path, line, text }));
  return { matches: matches.slice(0, limit), truncated: matches.length > limit };
}

async function searchFolder(
  searcher: Searcher,
  place: LocatedPath,
  { pattern, include, accepts, limit, signal }: Given,
): Promise<FoundLines> {
  const { matches, truncated } = await inLocatedFolder(place, { make: false }, async (at) =>
    searcher.searchText({
      pattern,
      folder: place.path,
      at: await at("."),
      include,
      accepts,
      limit,
      signal,
    }),
  );
  const confirmed: FoundLine[] = [];
  for (const [path, lines] of Map.groupBy(matches, (match) => match.path)) {
    confirmed.push(...(await confirmedLines(searcher, below(place, path), lines, pattern, signal)));
  }
  return { matches: confirmed, truncated };
}

/** The lines as the file has them that is opened without links. A searcher may have followed one. */
async function confirmedLines(
  searcher: Searcher,
  place: LocatedPath,
  lines: readonly FoundLine[],
  pattern: string,
  signal: AbortSignal | undefined,
): Promise<readonly FoundLine[]> {
  const { path } = place;
  const file = await openLocated(place).catch(() => null);
  if (file === null) return [];
  await using _file = file;
  const text = (await textOf(file))?.split("\n");
  if (lines.every((each) => text?.[each.line - 1]?.replace(/\r$/, "") === each.text)) return lines;
  // A long line is cut, and ripgrep decodes other encodings.
  const again = await searcher.searchFile({ pattern, file, limit: lines.length, signal });
  return again.map(({ line, text: found }) => ({ path, line, text: found }));
}

/** Without the files whose folder has become a link. */
async function inSameFolders(place: LocatedPath, paths: readonly string[]): Promise<string[]> {
  const kept: string[] = [];
  for (const [folder, files] of Map.groupBy(paths, dirname)) {
    const { real } = below(place, folder);
    if ((await realPath(real)) === real) kept.push(...files);
  }
  const isKept = new Set(kept);
  return paths.filter((path) => isKept.has(path));
}

/** A search follows no links, so the name below the folder is the real one. */
function below(place: LocatedPath, path: string): LocatedPath {
  const real = join(place.real, relative(place.path, path));
  return { path, real, entry: real, isOutside: place.isOutside };
}

function nameIn(place: LocatedPath, path: string): string {
  return relative(place.path, path).replaceAll(sep, "/");
}

async function typeOf({ path }: LocatedPath): Promise<string | null> {
  return (await localFiles.stat(path))?.type ?? null;
}

function noFolder({ path }: LocatedPath): SearchProblem {
  return new SearchProblem(`There is no folder ${path} to search in.`);
}
