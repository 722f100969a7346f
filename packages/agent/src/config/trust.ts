import { mkdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, matchesGlob } from "node:path";
import { isWithin } from "@landline/shell";
import { replacePrivateFile } from "@landline/system/replace-file";
import { errorMessage } from "@landline/system/error-message";
import { configLimits } from "../limits.ts";
import { expandPattern, type ConfigLocations } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import { readTextFile } from "./text-file.ts";

/**
 * The folders that the user trusts. In other folders, configuration that starts programs, sends keys to an
 * address or grants permissions does not apply.
 */
export class Trust {
  readonly #file: string;
  readonly #folders: readonly string[];

  private constructor(file: string, folders: readonly string[]) {
    this.#file = file;
    this.#folders = folders;
  }

  /** `patterns`: folders and globs of `trust` in the user's own configuration. */
  static async open(
    locations: ConfigLocations,
    patterns: readonly string[],
    problems: Problems,
  ): Promise<Trust> {
    const file = join(locations.landline, "trusted-folders.json");
    const configured = patterns
      .map((pattern) => expandPattern(pattern, locations.home))
      .filter((pattern) => isAbsolute(pattern));
    return new Trust(file, [...configured, ...(await readFolders(file, problems))]);
  }

  async trusts(folder: string): Promise<boolean> {
    const real = await realpath(folder).catch(() => folder);
    return this.#folders.some(
      (trusted) =>
        isWithin(trusted, real) || isWithin(trusted, folder) || matchesGlob(real, trusted),
    );
  }

  async add(folder: string): Promise<void> {
    const real = await realpath(folder);
    const kept = await readFolders(this.#file, null);
    if (kept.includes(real)) return;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const content = { folders: [...kept, real] };
    await replacePrivateFile(this.#file, `${JSON.stringify(content, null, 2)}\n`);
  }
}

async function readFolders(file: string, problems: Problems | null): Promise<string[]> {
  try {
    const found = await readTextFile(file, configLimits.fileBytes);
    if (found === null) return [];
    const data: unknown = JSON.parse(found.text);
    const folders = (data as { folders?: unknown } | null)?.folders;
    if (!Array.isArray(folders)) throw new Error("it has no list `folders`");
    return folders.filter((folder): folder is string => typeof folder === "string");
  } catch (error) {
    problems?.add(
      { file },
      `can't be read (${errorMessage(error)}). Remove it; you will be asked again.`,
    );
    return [];
  }
}
