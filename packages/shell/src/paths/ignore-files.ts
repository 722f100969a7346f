import { basename, dirname, join, sep } from "node:path";
import { cachedFiles } from "./cached-file.ts";
import { repositoryAt } from "../git/find-repository.ts";
import type { FileSnapshot } from "./file-snapshot.ts";
import { globMatcher, type GlobMatcher } from "./glob.ts";

/** Ignore files that all search programs with ignore files read. */
const commonFiles: readonly string[] = [".gitignore", ".ignore"];

/** The ignore files of search programs. */
export const ignoreFiles: readonly string[] = [
  ...commonFiles,
  ".rgignore",
  ".fdignore",
  ".agignore",
];

/** Those that also apply above the top of the repository. */
const outerFiles = ignoreFiles.filter((name) => name !== ".gitignore");

/** A folder that an ignore file excludes: by name anywhere, or a single path. */
interface IgnoredFolder {
  readonly name: string;
  readonly path: string | null;
}

/** A line that begins with `!`. Such names are searched even if they are hidden or ignored. */
interface KeptName {
  readonly line: string;
  readonly glob: GlobMatcher;
  /** The pattern matches everything below a folder of this name. */
  readonly below: GlobMatcher | null;
  readonly isFolder: boolean;
}

/**
 * The rules of ignore files. Only exclusions by plain name are used, so the result may contain too many files, never
 * too few.
 */
export class IgnoreRules {
  readonly #folders: readonly IgnoredFolder[];
  readonly #kept: readonly KeptName[];
  readonly #isRepository: boolean;
  #key: string | null = null;

  constructor(
    isRepository: boolean,
    folders: readonly IgnoredFolder[] = [],
    kept: readonly KeptName[] = [],
  ) {
    this.#isRepository = isRepository;
    this.#folders = folders;
    this.#kept = kept;
  }

  /** Equal for equal rules. */
  get key(): string {
    this.#key ??= [
      ...new Set([
        ...this.#folders.map(({ name, path }) => path ?? name),
        ...this.#kept.map(({ line }) => line),
      ]),
    ]
      .sort()
      .join("\n");
    return this.#key;
  }

  leavesOut(path: string): boolean {
    return this.#folders.some((one) =>
      one.path === null ? one.name === basename(path) : one.path === path,
    );
  }

  keeps(path: string, isFolder: boolean): boolean {
    if (this.#kept.length === 0) return false;
    const name = basename(path);
    const above = dirname(path).split(sep);
    return this.#kept.some(
      ({ glob, below, isFolder: isOnlyFolder }) =>
        (isFolder || !isOnlyFolder) &&
        glob.test(name) &&
        (below === null || above.some((one) => below.test(one))),
    );
  }

  /** Adds the ignore files of a subfolder. */
  async with(folder: string, disk: FileSnapshot): Promise<IgnoreRules> {
    const files = await Promise.all(
      ignoreFiles.map(async (name) => ({ name, lines: await linesOf(join(folder, name), disk) })),
    );
    // Outside a repository, `.gitignore` excludes nothing.
    const counted = files.filter(({ name }) => this.#isRepository && commonFiles.includes(name));
    const folders = counted.flatMap(({ lines }) =>
      lines.flatMap((line) => ignoredFolder(line, folder) ?? []),
    );
    return this.#plus(
      folders,
      files.flatMap(({ lines }) => lines),
    );
  }

  /** Adds the inclusions of the ignore files in a folder above the repository. */
  async withOuter(folder: string, disk: FileSnapshot): Promise<IgnoreRules> {
    const files = await Promise.all(outerFiles.map((name) => linesOf(join(folder, name), disk)));
    return this.#plus([], files.flat());
  }

  /** Adds the inclusions in `info/exclude` of a repository. */
  async withExclude(top: string, disk: FileSnapshot): Promise<IgnoreRules> {
    return this.#plus([], await excludeLines(top, disk));
  }

  #plus(folders: readonly IgnoredFolder[], lines: readonly string[]): IgnoreRules {
    const kept = lines.flatMap((line) => keptName(line.trim()) ?? []);
    if (folders.length + kept.length === 0) return this;
    return new IgnoreRules(
      this.#isRepository,
      [...this.#folders, ...folders],
      [...this.#kept, ...kept],
    );
  }

  /** In a nested repository, the ignore files of the outer one do not apply. */
  get inNestedRepository(): IgnoreRules {
    return new IgnoreRules(true, [], this.#kept);
  }
}

/** A line that includes every file. */
const keepsAll = "!*";
const bytesMax = 1_000_000;
const texts = cachedFiles(bytesMax, (data) => data.toString("utf8").split(/\r?\n/));

async function linesOf(file: string, disk: FileSnapshot): Promise<readonly string[]> {
  const facts = await disk.stat(file);
  // Reading a pipe would block.
  if (!facts?.isFile()) return [];
  if (facts.size > bytesMax) return [keepsAll];
  return (await texts.read(file, disk)) ?? [];
}

async function excludeLines(top: string, disk: FileSnapshot): Promise<readonly string[]> {
  const facts = await disk.stat(join(top, ".git"));
  if (facts?.isDirectory()) return linesOf(join(top, ".git/info/exclude"), disk);
  const found = await repositoryAt(top, disk);
  if (found === null) return [];
  if ("doubt" in found) return [keepsAll];
  const folders = [found.gitFolder, found.common];
  const files = await Promise.all(
    folders.map((folder) => linesOf(join(folder, "info/exclude"), disk)),
  );
  return files.flat();
}

/** Leading spaces belong to the name. */
function ignoredFolder(line: string, folder: string): IgnoredFolder | null {
  const [, slash, name] = /^(\/?)([\w.-]+)\/?$/.exec(line) ?? [];
  if (name === undefined) return null;
  return { name, path: slash === "" ? null : join(folder, name) };
}

function keptName(line: string): KeptName | null {
  if (!line.startsWith("!")) return null;
  const parts = line.slice(1).split("/").filter(Boolean);
  const last = parts.at(-1) ?? "*";
  const isAll = /^\*+$/.test(last) && parts.length > 1;
  const above = isAll ? (parts.findLast((part) => !/^\*+$/.test(part)) ?? null) : null;
  return {
    line,
    glob: globMatcher(isCut(line) ? "*" : last),
    below: above === null || isCut(line) ? null : globMatcher(above),
    isFolder: line.endsWith("/"),
  };
}

/** Whether a slash in a set or braces, or after a backslash, may not be a separator. */
const isCut = (line: string): boolean => /[[{\\].*\//s.test(line);

/** The rules from the parent folders of a folder and from its repository, without its own ignore files. */
export async function rulesAbove(folder: string, disk: FileSnapshot): Promise<IgnoreRules> {
  const inner: string[] = [];
  const outer: string[] = [];
  let top: string | null = null;
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) (top === null ? inner : outer).push(at);
    if (top === null && (await disk.exists(join(at, ".git")))) top = at;
    if (dirname(at) === at) break;
  }
  let rules = new IgnoreRules(top !== null);
  for (const one of outer.toReversed()) rules = await rules.withOuter(one, disk);
  if (top !== null) rules = await rules.withExclude(top, disk);
  for (const one of inner.toReversed()) rules = await rules.with(one, disk);
  return rules;
}
