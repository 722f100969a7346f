import { evictOldest } from "@landline/system/evict-oldest";

/** Files of which we remember that the client's text differs from the disk. The oldest is forgotten. */
const unsavedFilesMax = 100;

/** The files whose text at the client was last seen to differ from the disk: the newest of them. */
export class UnsavedFiles {
  readonly #paths = new Set<string>();

  note(path: string, differs: boolean): void {
    this.#paths.delete(path);
    if (!differs) return;
    this.#paths.add(path);
    evictOldest(this.#paths, unsavedFilesMax);
  }

  all(): string[] {
    return [...this.#paths];
  }
}
