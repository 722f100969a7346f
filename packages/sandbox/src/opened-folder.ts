import { constants } from "node:fs";
import { chmod, open, readdir, realpath, rename, rm, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

const isLinux = process.platform === "linux";

/** O_PATH, which Node does not export: it opens a folder without read permission. */
const pathOnly = isLinux ? 0o10000000 : 0;

/**
 * A folder in which entries are renamed and removed. On Linux a descriptor holds it, so that replacing a folder by a
 * link at the same time cannot redirect a change. Elsewhere it is identified by its path.
 */
export class OpenedFolder implements AsyncDisposable {
  /** Its real path. */
  readonly real: string;
  readonly #handle: Awaited<ReturnType<typeof open>>;
  readonly #at: string;

  private constructor(handle: Awaited<ReturnType<typeof open>>, at: string, real: string) {
    this.#handle = handle;
    this.#at = at;
    this.real = real;
  }

  static async open(path: string): Promise<OpenedFolder> {
    const handle = await open(path, pathOnly | constants.O_DIRECTORY);
    try {
      const at = isLinux ? descriptorPath(handle.fd) : path;
      return new OpenedFolder(handle, at, await realpath(at));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#changing(() => rename(join(this.#at, from), join(this.#at, to)));
  }

  /** Removes an entry and everything below it. A missing entry is not an error. */
  async remove(name: string): Promise<void> {
    await this.#changing(() =>
      isLinux
        ? removeTree(this.#at, Buffer.from(name))
        : rm(join(this.#at, name), { recursive: true, force: true }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close();
  }

  /** A program may have made its own folder read-only. */
  async #changing(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      if (!hasCode(error, "EACCES", "EPERM")) throw error;
      await chmod(this.#at, ownerMode);
      await change();
    }
  }
}

const ownerMode = 0o700;

function descriptorPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** Opens each folder in the path without following links. */
async function removeTree(folder: string, name: Buffer): Promise<void> {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name]);
  try {
    await unlink(path);
    return;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    if (!hasCode(error, "EISDIR")) throw error;
  }
  const flags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(path, flags);
  try {
    const below = descriptorPath(handle.fd);
    await chmod(below, ownerMode);
    for (const entry of await readdir(below, { encoding: "buffer" }))
      await removeTree(below, entry);
  } finally {
    await handle.close();
  }
  await rmdir(path);
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}
