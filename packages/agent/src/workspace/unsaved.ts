import { forgetOldest } from "@landline/system/forget-oldest";
import { fileLimits } from "../limits.ts";

/** The files whose text at the client was last seen to differ from the disk: the newest of them. */
export class UnsavedFiles {
  readonly #paths = new Set<string>();

  note(path: string, differs: boolean): void {
    this.#paths.delete(path);
    if (!differs) return;
    this.#paths.add(path);
    forgetOldest(this.#paths, fileLimits.unsavedFiles);
  }

  all(): string[] {
    return [...this.#paths];
  }
}
