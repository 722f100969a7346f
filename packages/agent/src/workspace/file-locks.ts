import { realPath } from "@landline/shell";
import { unlessAborted } from "@landline/system/unless-aborted";

/**
 * One writer per file: work on the same file runs in order, even after failures. An aborted waiter leaves the
 * queue without blocking others.
 */
export class FileLocks {
  /** The last queued work, by file. */
  readonly #last = new Map<string, Promise<void>>();

  /** Serialises path resolution, which must not change the order. */
  #naming: Promise<unknown> = Promise.resolve();

  async withFile<Value>(
    path: string,
    work: () => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    const file = await this.#trueName(path);
    signal?.throwIfAborted();
    const before = this.#last.get(file) ?? Promise.resolve();
    const own = Promise.withResolvers<void>();
    void this.#queue(file, before, own.promise);
    try {
      await unlessAborted(before, signal);
      return await work();
    } finally {
      own.resolve();
    }
  }

  /** The next waiter also waits for earlier work, so an aborted wait lets nobody pass. */
  async #queue(file: string, before: Promise<void>, own: Promise<void>): Promise<void> {
    const ended = Promise.all([before, own]).then(() => undefined);
    this.#last.set(file, ended);
    await ended;
    if (this.#last.get(file) === ended) this.#last.delete(file);
  }

  /** Resolves links, so that two names of a file share a lock. */
  async #trueName(path: string): Promise<string> {
    const name = this.#naming.then(() => realPath(path));
    this.#naming = name;
    return name;
  }
}
