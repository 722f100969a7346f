import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "@landline/shell";
import { rulesLimits } from "../limits.ts";
import { credentialAt } from "../permission/protected-paths.ts";
import { matchingFiles } from "./matching-files.ts";
import { exists } from "@landline/system/missing-file";
import { errorMessage } from "@landline/system/error-message";
import { foldersBetween, realPathInside, type ConfigLocations } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import { readTextFile } from "./text-file.ts";

/** Maximum size of all rules files together. Further files are dropped with a problem. */
const totalBytesMax = 256 * 1_024;

/** Instructions for the model from a file such as AGENTS.md. */
export interface RulesFile {
  path: string;
  text: string;
}

/** The first of these names that exists between the project's root and `cwd` is used. */
const names = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"] as const;

export interface RulesOptions {
  locations: ConfigLocations;
  directories: readonly string[];
  /** Absolute paths and globs, with the file that contains each. */
  instructions: readonly Instruction[];
  /** When false, links to files outside the folder are not followed. */
  trusted: boolean;
  problems: Problems;
}

export interface Instruction {
  pattern: string;
  source: string;
  owner: "person" | "project";
}

/** The user's file, then the project's from its root down, then those that the configuration names. */
export async function readRules(options: RulesOptions): Promise<RulesFile[]> {
  const { locations } = options;
  const collected = new RulesCollection(options);
  const own = await firstThatExists([
    join(locations.landline, "AGENTS.md"),
    join(locations.opencode, "AGENTS.md"),
    join(locations.home, ".claude", "CLAUDE.md"),
  ]);
  if (own !== null) await collected.add(own, null);
  for (const path of await projectRules(locations.folders))
    await collected.add(path, locations.root);
  for (const directory of options.directories) {
    for (const path of await projectRules([resolve(directory)]))
      await collected.add(path, directory);
  }
  for (const instruction of options.instructions)
    await addInstruction(instruction, collected, options);
  return collected.files;
}

/** Enforces the limits. A file that is reachable by several paths is added once. */
class RulesCollection {
  readonly files: RulesFile[] = [];
  readonly #options: RulesOptions;
  readonly #seen = new Set<string>();
  #bytes = 0;

  constructor(options: RulesOptions) {
    this.#options = options;
  }

  /** `within` is the project's folder for a file of the project; null for the user's own. */
  async add(path: string, within: string | null): Promise<void> {
    const { problems, trusted } = this.#options;
    const real = await realpath(path).catch(() => path);
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    if (within !== null && !trusted && (await realPathInside(within, path)) !== real) {
      problems.add(
        { file: path },
        "leads outside the project by a link, and was left out until you trust the folder.",
      );
      return;
    }
    if (within !== null && credentialAt(path, real) !== null) {
      problems.add(
        { file: path },
        "may hold credentials, and was left out: instructions are sent to the model.",
      );
      return;
    }
    if (this.files.length >= rulesLimits.files || this.#bytes >= totalBytesMax) {
      problems.add(
        { file: path },
        "was left out: there are too many rules already. Shorten them or name fewer.",
      );
      return;
    }
    const file = await readRulesFile(path, real, problems);
    if (file === null) return;
    this.#bytes += Buffer.byteLength(file.text);
    this.files.push(file);
  }
}

async function readRulesFile(
  path: string,
  real: string,
  problems: Problems | null,
): Promise<RulesFile | null> {
  try {
    const file = await readTextFile(path, rulesLimits.fileBytes, real);
    if (file === null || file.text.trim() === "") return null;
    if (!file.cut) return { path, text: file.text.trim() };
    const kilobytes = rulesLimits.fileBytes / 1_024;
    problems?.add(
      { file: path },
      `is longer than ${kilobytes} KiB: only the beginning is read. Shorten it.`,
    );
    return {
      path,
      text: `${file.text.trim()}\n\n[The rest of this file was cut after ${kilobytes} KiB.]`,
    };
  } catch (error) {
    problems?.add({ file: path }, `can't be read (${errorMessage(error)}).`);
    return null;
  }
}

async function projectRules(folders: readonly string[]): Promise<string[]> {
  for (const name of names) {
    const found: string[] = [];
    for (const folder of folders) {
      if (await exists(join(folder, name))) found.push(join(folder, name));
    }
    if (found.length > 0) return found;
  }
  return [];
}

async function addInstruction(
  instruction: Instruction,
  collected: RulesCollection,
  { locations, problems, trusted }: RulesOptions,
): Promise<void> {
  const { pattern, source, owner } = instruction;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(pattern)) {
    problems.add(
      { file: source },
      `\`instructions\` names ${pattern}: nothing is fetched. Save it as a file and name that.`,
    );
    return;
  }
  const within = owner === "project" ? locations.root : null;
  if (within !== null && !trusted && !isWithin(within, pattern)) {
    problems.add(
      { file: source },
      `\`instructions\` names ${pattern}, outside the project: left out until you trust the folder.`,
    );
    return;
  }
  const { paths, late } = await matchingFiles(pattern);
  if (late) {
    problems.add(
      { file: source },
      `\`instructions\` names ${pattern}, which takes too long to look for. Make it narrower.`,
    );
  } else if (paths.length === 0) {
    problems.add({ file: source }, `\`instructions\` names ${pattern}, and there is no such file.`);
  }
  for (const path of paths) await collected.add(path, within);
}

/**
 * Rules files of the folders between `cwd` and a file below it, outermost first. They apply to that part of
 * the project and are read with its files. Those of `cwd` and above are already in the system prompt.
 */
export async function nestedRules(path: string, cwd: string): Promise<RulesFile[]> {
  const folder = dirname(resolve(cwd, path));
  if (folder === cwd || !isWithin(cwd, folder)) return [];
  const files: RulesFile[] = [];
  for (const place of foldersBetween(cwd, folder).slice(1)) {
    const [found] = await projectRules([place]);
    const real = found === undefined ? null : await realPathInside(cwd, found);
    if (found === undefined || real === null || credentialAt(real) !== null) continue;
    const file = await readRulesFile(found, real, null);
    if (file !== null) files.push(file);
  }
  return files;
}

async function firstThatExists(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) if (await exists(path)) return path;
  return null;
}
