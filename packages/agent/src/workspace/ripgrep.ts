import { constants } from "node:fs";
import { access, type FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import { LineSplitter } from "@landline/system/line-splitter";
import { searchLimits } from "../limits.ts";
import { globMatcher } from "./glob.ts";
import { ProgramTimeout, runProgram } from "./run-program.ts";
import { byPlace, type FoundLine, type Searcher } from "./searcher.ts";
import { SearchProblem } from "./workspace.ts";

/** Timeout of a search. */
const searchMs = 30_000;

/** Includes hidden files and respects ignore files, even outside repositories. */
const everywhere = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--glob",
  "!.git",
  "--color",
  "never",
  "--no-messages",
];

const asLines = [
  "--no-heading",
  "--line-number",
  "--null",
  "--engine",
  "auto",
  "--max-columns",
  String(searchLimits.lineCharacters),
  "--max-columns-preview",
];

/** Null when there is no ripgrep for this platform. */
export async function openRipgrep(): Promise<Searcher | null> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    await access(rgPath, constants.X_OK);
    return ripgrepAt(rgPath);
  } catch {
    return null;
  }
}

export function ripgrepAt(program: string): Searcher {
  return {
    async findFiles({ folder, at, matches, limit, signal }) {
      const paths: string[] = [];
      // The glob is matched here, because in ripgrep a glob overrides ignore files.
      const take = pieces("\0", (entry) => {
        const path = entry.replace(/^\.[/\\]/, "");
        if (matches(path.replaceAll("\\", "/"))) paths.push(resolve(folder, path));
        return paths.length > limit ? "stop" : undefined;
      });
      const args = ["--files", ...everywhere, "--null", "--sortr", "modified", "."];
      await run(program, args, { cwd: at, signal, onOutput: take });
      return { paths: paths.slice(0, limit), truncated: paths.length > limit };
    },

    async searchText({ pattern, folder, at, include, accepts, limit, signal }) {
      const matches: FoundLine[] = [];
      const wanted = include === undefined ? () => true : globMatcher(include);
      const take = pieces("\n", (line) => {
        const found = parseLine(line);
        if (found === null || !wanted(found.path.replaceAll("\\", "/"))) return undefined;
        const absolute = resolve(folder, found.path);
        if (accepts(absolute)) matches.push({ ...found, path: absolute });
        return matches.length > limit ? "stop" : undefined;
      });
      const args = [...everywhere, ...asLines, ...typeOf(include), "--with-filename"];
      await run(program, [...args, "--max-count", String(limit + 1), "--", pattern, "."], {
        cwd: at,
        signal,
        onOutput: take,
      });
      const truncated = matches.length > limit;
      return { matches: matches.slice(0, limit).sort(byPlace), truncated };
    },

    searchFile: ({ file, ...options }) => searchInput(program, file, options),
    searchIn: ({ text, ...options }) => searchInput(program, text, options),
  };
}

async function searchInput(
  program: string,
  input: string | FileHandle,
  { pattern, limit, signal }: Omit<Parameters<Searcher["searchIn"]>[0], "text">,
): Promise<{ line: number; text: string }[]> {
  const found: { line: number; text: string }[] = [];
  const take = pieces("\n", (line) => {
    const parsed = parseLine(line);
    if (parsed !== null) found.push({ line: parsed.line, text: parsed.text });
  });
  const args = ["--no-config", "--color", "never", ...asLines, "--with-filename"];
  await run(program, [...args, "--max-count", String(limit), "--", pattern, "-"], {
    cwd: ".",
    signal,
    onOutput: take,
    input,
  });
  return found;
}

/** A file type, because unlike a glob it does not override ignore files. */
function typeOf(include: string | undefined): string[] {
  if (include === undefined || include.includes("/")) return [];
  return ["--type-add", `wanted:${include}`, "--type", "wanted"];
}

/** Parses `path NUL line : text`. Other lines are remarks, such as matches in binary files. */
function parseLine(text: string): FoundLine | null {
  const parts = /^(?<path>[^\0]+)\0(?<line>\d+):(?<text>.*)$/s.exec(text)?.groups;
  if (parts === undefined) return null;
  return {
    path: (parts["path"] ?? "").replace(/^\.[/\\]/, ""),
    line: Number(parts["line"]),
    text: (parts["text"] ?? "").replace(/\r$/, ""),
  };
}

/** Maximum length of a piece of output. Longer ones are skipped. */
const pieceBytes = 256 * 1_024;

function pieces(
  separator: "\n" | "\0",
  onPiece: (piece: string) => "stop" | void,
): (chunk: Buffer) => "stop" | void {
  let answer: "stop" | void;
  const take = (piece: string) => {
    if (answer !== "stop") answer = onPiece(piece);
  };
  const sink = { line: take, invalidLine: take, oversizedLine: () => {} };
  const splitter = new LineSplitter(pieceBytes, sink, separator);
  return (chunk) => {
    splitter.push(chunk);
    return answer;
  };
}

interface Running {
  cwd: string;
  signal: AbortSignal | undefined;
  input?: string | FileHandle;
  onOutput(chunk: Buffer): "stop" | void;
}

const nothingFound = 1;

async function run(program: string, args: readonly string[], options: Running): Promise<void> {
  try {
    const { exitCode, errors } = await runProgram(program, args, {
      ...options,
      timeoutMs: searchMs,
    });
    // Unreadable folders also cause an error exit, without a message.
    if (exitCode === null || exitCode <= nothingFound || errors.trim() === "") return;
    throw new SearchProblem(`The search failed: ${errors.replace(/^rg: /, "").trim()}`);
  } catch (error) {
    if (!(error instanceof ProgramTimeout)) throw error;
    throw new SearchProblem(
      `The search took longer than ${searchMs / 1_000} seconds. Name a smaller folder or a narrower pattern.`,
      { cause: error },
    );
  }
}
