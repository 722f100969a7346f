import { mkdirSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { errorMessage } from "@landline/system/error-message";
import type { SessionRecord } from "../core/record.ts";
import { type SessionFile, StoreProblem } from "./store.ts";

export interface JsonlFileOptions {
  sessionId: string;
  path: string;
  outputs: string;
  records: readonly SessionRecord[];
  handle: FileHandle;
  /** The position of the next record. */
  size: number;
  lock: Disposable;
}

/**
 * The records of one session, for its only writer. Appends are written in order and batched. A failed write
 * is repeated at the same position by the next flush, so that no partial line remains.
 */
export class JsonlFile implements SessionFile {
  readonly sessionId: string;
  readonly records: readonly SessionRecord[];
  readonly #options: JsonlFileOptions;
  #size: number;
  #pending: string[] = [];
  #writing: Promise<void> | null = null;
  #closing: Promise<void> | undefined;

  constructor(options: JsonlFileOptions) {
    this.sessionId = options.sessionId;
    this.records = options.records;
    this.#options = options;
    this.#size = options.size;
  }

  get outputs(): string {
    mkdirSync(this.#options.outputs, { recursive: true, mode: 0o700 });
    return this.#options.outputs;
  }

  append(record: SessionRecord): void {
    if (this.#closing !== undefined) {
      throw new StoreProblem("not-written", `Session ${this.sessionId} is closed.`);
    }
    this.#pending.push(`${JSON.stringify(record)}\n`);
    // The next flush reports a failure and tries again.
    this.#write().catch(() => undefined);
  }

  async flush(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    return this.#flush();
  }

  /** Writes pending records and releases the lock. Idempotent. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #flush(): Promise<void> {
    // The current write may not include the latest records.
    await this.#writing?.catch(() => undefined);
    await this.#write();
    await this.#options.handle.datasync();
  }

  async #close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#options.handle.close();
      this.#options.lock[Symbol.dispose]();
    }
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Batches records of the same tick.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const taken = this.#pending;
      this.#pending = [];
      try {
        const bytes = Buffer.from(taken.join(""));
        await writeAt(this.#options.handle, bytes, this.#size);
        this.#size += bytes.length;
      } catch (error) {
        this.#pending = [...taken, ...this.#pending];
        const words = errorMessage(error);
        throw new StoreProblem(
          "not-written",
          `The session could not be written to ${this.#options.path}: ${words}. Free disk space and continue: nothing is lost yet.`,
          { cause: error },
        );
      }
    }
  }
}

async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, undefined, position + written);
    written += bytesWritten;
  }
}
