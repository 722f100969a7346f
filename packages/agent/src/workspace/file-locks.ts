import { realPath } from "@landline/shell";
import { unlessAborted } from "@landline/system/unless-aborted";

/**
 * One writer a file at a time: work on the same file is done in the order in which it came, whatever
 * becomes of the work before it. Whoever waits and is aborted leaves the queue and holds up nobody.
 */
export class FileLocks {
  /** The end of the last work in line, by file. */
  readonly #last = new Map<string, Promise<void>>();

  /** The looking up of names, one after the other: it must not change the order. */
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

  /** Who comes next waits for those before too, so that an aborted wait lets nobody pass. */
  async #queue(file: string, before: Promise<void>, own: Promise<void>): Promise<void> {
    const ended = Promise.all([before, own]).then(() => undefined);
    this.#last.set(file, ended);
    await ended;
    if (this.#last.get(file) === ended) this.#last.delete(file);
  }

  /** Two names of one file are one lock. */
  async #trueName(path: string): Promise<string> {
    const name = this.#naming.then(() => realPath(path));
    this.#naming = name;
    return name;
  }
}
