import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { globMatcher } from "./glob.ts";

interface Line {
  matches(path: string): boolean;
  negated: boolean;
  foldersOnly: boolean;
}

/** The ignore files of a folder and its parents. The last matching line decides, nearest folder first. */
export class IgnoreFiles {
  readonly #lines: Line[];
  readonly #parent: IgnoreFiles | null;
  /** Path from the parent's folder: `a/`. */
  readonly #prefix: string;

  private constructor(lines: Line[], parent: IgnoreFiles | null, prefix: string) {
    this.#lines = lines;
    this.#parent = parent;
    this.#prefix = prefix;
  }

  static async read(
    folder: string,
    parent: IgnoreFiles | null = null,
    name = "",
  ): Promise<IgnoreFiles> {
    const files = [join(".git", "info", "exclude"), ".gitignore", ".ignore"];
    const texts = await Promise.all(
      files.map((file) => readFile(join(folder, file), "utf8").catch(() => "")),
    );
    const lines = texts.flatMap((text) => text.split(/\r?\n/)).map(parseLine);
    return new IgnoreFiles(
      lines.filter((line) => line !== null),
      parent,
      name === "" ? "" : `${name}/`,
    );
  }

  /** `path` is relative to this folder. */
  ignores(path: string, isFolder: boolean): boolean {
    const line = this.#lines.findLast(
      (each) => (isFolder || !each.foldersOnly) && each.matches(path),
    );
    if (line !== undefined) return !line.negated;
    return this.#parent?.ignores(this.#prefix + path, isFolder) ?? false;
  }
}

function parseLine(text: string): Line | null {
  const trimmed = text.replace(/(?<!\\)\s+$/, "");
  if (trimmed === "" || trimmed.startsWith("#")) return null;
  const negated = trimmed.startsWith("!");
  const pattern = negated ? trimmed.slice(1) : trimmed;
  const foldersOnly = pattern.endsWith("/");
  const glob = foldersOnly ? pattern.slice(0, -1) : pattern;
  // Braces are literal in ignore files.
  const escaped = glob.replaceAll(/[{}]/g, String.raw`\$&`);
  return { matches: globMatcher(escaped), negated, foldersOnly };
}
