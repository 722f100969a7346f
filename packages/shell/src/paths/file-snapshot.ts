import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { lstat, opendir, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isUnlistable, isInvalidUtf8 } from "./folder-entries.ts";
import { followLinks } from "./real-path.ts";

/** The maximum number of entries that are read from one folder. */
const entriesMax = 10_000;
/** A folder of this size may have more entries. Each takes at least 20 bytes on common file systems. */
const smallFolderBytes = 100_000;
/** How long the event loop may be blocked. */
const turnMs = 2;
/** After this time the tree is probably large, and folders are listed asynchronously. */
const shortMs = 5;

/**
 * The file system as one verdict sees it. Each path is read once, so that all checks see the same state. Near folders
 * are read synchronously, which takes a tenth of the time. Other paths may be on a disk that does not respond, and must
 * not block the process.
 */
export class FileSnapshot {
  readonly #near: readonly string[];
  readonly #real = new Map<string, Promise<string>>();
  readonly #lstat = new Map<string, Stats | null>();
  readonly #lists = new Map<string, Promise<readonly Dirent[] | null>>();
  readonly #listed = new Map<string, Listed>();
  readonly #startedAt = performance.now();
  #turnEndsAt = this.#startedAt + turnMs;

  /** `near`: absolute folders that the process depends on anyway, such as the project and those of `PATH`. */
  constructor(near: readonly string[]) {
    const folders = new Set(near.map((folder) => resolve(folder)));
    this.#near = [...folders].filter((folder) => folder !== "/").map((folder) => `${folder}/`);
  }

  /** See `realPath`. */
  realPath(path: string): Promise<string> {
    const found = this.#real.get(path) ?? this.#realPath(path);
    this.#real.set(path, found);
    return found;
  }

  async #realPath(path: string): Promise<string> {
    const start = path.lastIndexOf("/");
    const folder = this.#listed.get(path.slice(0, start));
    const name = path.slice(start + 1);
    if (folder && namesOf(folder).has(name)) return join(folder.real, name);
    await this.pause();
    return followLinks(path, (at) => (this.#isNear(at) ? this.#targetOf(at) : undefined));
  }

  /** Null if it does not exist or cannot be read. */
  async lstat(path: string): Promise<Stats | null> {
    const folder = await this.realPath(dirname(path));
    if (isInvalidUtf8(folder)) return lstat(path).catch(() => null);
    return this.#lstatReal(join(folder, basename(path)));
  }

  /** The same for the target of links. */
  async stat(path: string): Promise<Stats | null> {
    const real = await this.realPath(path);
    // The target is not valid UTF-8, but the kernel can follow it.
    if (isInvalidUtf8(real)) return stat(path).catch(() => null);
    const found = await this.#lstatReal(real);
    return found?.isSymbolicLink() ? null : found;
  }

  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)) !== null;
  }

  /**
   * The entries of a folder. Empty if no program can list it; null if there are too many, or only this process cannot
   * list it.
   */
  list(path: string): Promise<readonly Dirent[] | null> {
    const found = this.#lists.get(path) ?? this.#list(path);
    this.#lists.set(path, found);
    return found;
  }

  async #list(path: string): Promise<readonly Dirent[] | null> {
    const real = await this.realPath(path);
    await this.pause();
    try {
      if (isInvalidUtf8(real)) return await entriesOf(path);
      const entries = await this.#entriesOf(real);
      if (entries) this.#listed.set(path.replace(/\/+$/, ""), { real, entries });
      return entries;
    } catch (error) {
      return isUnlistable(error) ? [] : null;
    }
  }

  async #entriesOf(path: string): Promise<readonly Dirent[] | null> {
    const isSmall = this.#isNear(path) && (this.#lstatNear(path)?.size ?? 0) < smallFolderBytes;
    if (!isSmall) return entriesOf(path);
    const isShort = performance.now() - this.#startedAt < shortMs;
    const options = { withFileTypes: true } as const;
    return isShort ? readdirSync(path, options) : readdir(path, options);
  }

  /** Yields to the event loop after a while. */
  async pause(): Promise<void> {
    if (performance.now() < this.#turnEndsAt) return;
    await setImmediate();
    this.#turnEndsAt = performance.now() + turnMs;
  }

  async #lstatReal(path: string): Promise<Stats | null> {
    const known = this.#lstat.get(path);
    if (known !== undefined) return known;
    if (this.#isNear(path)) return this.#lstatNear(path);
    const found = await lstat(path).catch(() => null);
    this.#lstat.set(path, found);
    return found;
  }

  #lstatNear(path: string): Stats | null {
    const known = this.#lstat.get(path);
    if (known !== undefined) return known;
    const found = ifAny(() => lstatSync(path, { throwIfNoEntry: false }));
    this.#lstat.set(path, found);
    return found;
  }

  #targetOf(path: string): string | null | undefined {
    if (!this.#lstatNear(path)?.isSymbolicLink()) return null;
    const target = ifAny(() => readlinkSync(path));
    return target !== null && isInvalidUtf8(target) ? undefined : target;
  }

  /**
   * Whether a path is in a near folder, is a parent of one, or is a hidden file there. Other names there may be mount
   * points.
   */
  #isNear(path: string): boolean {
    const start = path.lastIndexOf("/") + 1;
    const above = path[start] === "." ? path.slice(0, start) : `${path}/`;
    return this.#near.some((folder) => folder.startsWith(above) || `${path}/`.startsWith(folder));
  }
}

interface Listed {
  readonly real: string;
  readonly entries: readonly Dirent[];
  names?: ReadonlySet<string>;
}

/** The names in a folder, without links. */
function namesOf(folder: Listed): ReadonlySet<string> {
  folder.names ??= new Set(
    folder.entries.filter((entry) => entry.isFile() || entry.isDirectory()).map(({ name }) => name),
  );
  return folder.names;
}

function ifAny<T>(look: () => T | undefined): T | null {
  try {
    return look() ?? null;
  } catch {
    return null;
  }
}

async function entriesOf(path: string): Promise<Dirent[] | null> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(path)) {
    if (entries.length === entriesMax) return null;
    entries.push(entry);
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
