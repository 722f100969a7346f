import { type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { createContext, runInContext } from "node:vm";
import { errorMessage } from "@landline/system/error-message";
import { readingFlags } from "@landline/system/opened-path";
import { searchLimits } from "../limits.ts";
import { globMatcher } from "./glob.ts";
import { IgnoreFiles } from "./ignore-files.ts";
import { byPlace, type FoundLine, type Searcher } from "./searcher.ts";
import { SearchProblem } from "./workspace.ts";

/** Maximum files of a search. Then the result is marked as truncated. */
const filesMax = 50_000;
/** Maximum size of a file. Larger ones are skipped. */
const fileBytesMax = 2 * 1_024 * 1_024;
/** Time limit per file. Then the expression is refused. */
const fileMs = 1_000;

/** A search without ripgrep: slower, bounded, with JavaScript's regular expressions. */
export const nodeSearcher: Searcher = {
  async findFiles({ folder, at, matches, limit, signal }) {
    const found: { path: string; modifiedAt: number }[] = [];
    let looked = 0;
    for await (const path of filesIn(at, signal)) {
      looked += 1;
      if (!matches(path)) continue;
      const facts = await lstat(join(at, path)).catch(() => null);
      if (facts !== null) found.push({ path: join(folder, path), modifiedAt: facts.mtimeMs });
    }
    const paths = found
      .sort((one, other) => other.modifiedAt - one.modifiedAt)
      .map(({ path }) => path);
    const truncated = paths.length > limit || looked >= filesMax;
    return { paths: paths.slice(0, limit), truncated };
  },

  async searchText({ pattern, folder, at, include, accepts, limit, signal }) {
    const wanted = include === undefined ? () => true : globMatcher(include);
    const matches: FoundLine[] = [];
    let looked = 0;
    for await (const name of filesIn(at, signal)) {
      looked += 1;
      const absolute = join(folder, name);
      if (!accepts(absolute) || !wanted(name)) continue;
      const text = await textAt(join(at, name));
      if (text === null) continue;
      for (const found of matchingLines(pattern, text, limit + 1)) {
        matches.push({ path: absolute, ...found });
      }
      if (matches.length > limit) break;
    }
    const truncated = matches.length > limit || looked >= filesMax;
    return { matches: matches.slice(0, limit).sort(byPlace), truncated };
  },

  async searchFile({ pattern, file, limit }) {
    const text = await textOf(file);
    return text === null ? [] : matchingLines(pattern, text, limit);
  },

  async searchIn({ pattern, text, limit }) {
    return matchingLines(pattern, text, limit);
  },
};

/** Paths below the folder, without ignored ones and `.git`. Links are not followed. */
async function* filesIn(folder: string, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const pending = [{ path: "", ignore: await IgnoreFiles.read(folder) }];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const entries = await readdir(join(folder, next.path), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      signal?.throwIfAborted();
      const isFolder = entry.isDirectory();
      if (entry.name === ".git" || next.ignore.ignores(entry.name, isFolder)) continue;
      const path = next.path === "" ? entry.name : `${next.path}/${entry.name}`;
      if (isFolder) {
        const ignore = await IgnoreFiles.read(join(folder, path), next.ignore, entry.name);
        pending.push({ path, ignore });
      } else if (entry.isFile()) {
        yield path;
        count += 1;
        if (count >= filesMax) return;
      }
    }
  }
}

async function textAt(path: string): Promise<string | null> {
  try {
    await using file = await open(path.replaceAll("/", sep), readingFlags);
    return await textOf(file);
  } catch {
    return null;
  }
}

/** Null for a large or binary file. Leaves the position of the open file unchanged. */
export async function textOf(file: FileHandle): Promise<string | null> {
  const { size } = await file.stat();
  if (size > fileBytesMax) return null;
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  const text = bytes.toString("utf8", 0, bytesRead);
  return text.includes("\0") ? null : text;
}

const script = `(() => {
  const expression = new RegExp(pattern, "u");
  const found = [];
  const lines = text.split(/\\r?\\n/);
  for (let index = 0; index < lines.length && found.length < limit; index += 1) {
    if (expression.test(lines[index])) found.push(index);
  }
  return JSON.stringify(found);
})()`;

/** In a separate context with a timeout, because an expression may not terminate. */
function matchingLines(
  pattern: string,
  text: string,
  limit: number,
): { line: number; text: string }[] {
  const lines = text.split(/\r?\n/);
  return matchingIndexes(pattern, text, limit).map((index) => ({
    line: index + 1,
    text: (lines[index] ?? "").slice(0, searchLimits.lineCharacters),
  }));
}

function matchingIndexes(pattern: string, text: string, limit: number): number[] {
  try {
    const context = createContext({ pattern, text, limit });
    const found: unknown = runInContext(script, context, { timeout: fileMs });
    return JSON.parse(String(found)) as number[];
  } catch (error) {
    const words = errorMessage(error);
    throw new SearchProblem(`The search failed: ${words}`, { cause: error });
  }
}
