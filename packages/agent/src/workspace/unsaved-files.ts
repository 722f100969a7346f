import { evictOldest } from "@landline/system/evict-oldest";

/** Maximum files to remember. The oldest is forgotten. */
const unsavedFilesMax = 100;

/** Files whose text at the client last differed from the disk, newest last. */
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
