import { lstat, open } from "node:fs/promises";
import { constants } from "node:fs";

/** A version of a file on the disk, by which a later change is noticed. */
export class FileVersion {
  readonly #facts: string;

  private constructor(facts: string) {
    this.#facts = facts;
  }

  /** A missing file is a version too. */
  static async of(path: string): Promise<FileVersion> {
    const facts = await lstat(path, { bigint: true }).catch(() => null);
    const words = facts && [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs];
    return new FileVersion(words?.join(" ") ?? "missing");
  }

  equals(other: FileVersion): boolean {
    return this.#facts === other.#facts;
  }

  static async hasContent(path: string, content: Buffer): Promise<boolean> {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(path, flags).catch(() => null);
    if (handle === null) return false;
    await using _handle = handle;
    const facts = await handle.stat();
    if (!facts.isFile() || facts.size !== content.length) return false;
    return content.equals(await handle.readFile());
  }
}
