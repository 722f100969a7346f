import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { unlessMissing } from "@landline/system/missing-file";
import { LandlineError, type Limits } from "@landline/protocol";
import { diskError } from "./disk-error.ts";
import { FileReader } from "./file-reader.ts";
import type { LineReader, Lines } from "./storage.ts";
import type { LogChunk } from "./log.ts";
import { headerLine, noteMark, segmentName, type Segment } from "./segment.ts";
import type { ReadCache } from "./read-cache.ts";

const syncData = promisify(fs.fdatasync);
const closeFile = promisify(fs.close);

/** Suffix of a blob file that is still being written. */
export const PART = ".part";

export interface FileLinesOptions {
  readonly folder: string;
  readonly sessionId: string;
  readonly limits: Limits;
  readonly segments: Segment[];
  readonly head: number;
  readonly shared: ReadCache;
  /** Called before every write, so that the owner can limit the number of open files. */
  readonly onWrite: (lines: FileLines) => void;
}

/** Stores the lines of one session in segment files, with one write per chunk. A failed write is truncated. */
export class FileLines implements Lines {
  readonly #folder: string;
  readonly #sessionId: string;
  readonly #limits: Limits;
  readonly #segments: Segment[];
  readonly #shared: ReadCache;
  readonly #onWrite: (lines: FileLines) => void;
  #head: number;
  #file: number | null = null;
  #broken: LandlineError | null = null;
  #dirty = false;
  /** Finished segments and new blobs that the next sync must include. */
  #retired: number[] = [];
  #newFiles = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: FileLinesOptions) {
    this.#folder = options.folder;
    this.#sessionId = options.sessionId;
    this.#limits = options.limits;
    this.#segments = options.segments;
    this.#shared = options.shared;
    this.#head = options.head;
    this.#onWrite = options.onWrite;
  }

  get head(): number {
    return this.#head;
  }

  write(chunk: LogChunk): void {
    if (this.#broken) throw this.#broken;
    this.#onWrite(this);
    const last = this.#segments.at(-1);
    if (!last || last.size + chunk.bytes.length > this.#limits.segmentBytes)
      this.#beginSegment(chunk);
    else this.#extendSegment(last, chunk);
    this.#head = chunk.last;
    this.#dirty = true;
  }

  reader(after: number): LineReader {
    return new FileReader({
      segments: this.#segments,
      after,
      limits: this.#limits,
      isAtEnd: after === this.#head,
      shared: this.#shared,
    });
  }

  sync(): Promise<void> {
    return this.#inTurn(() => this.#syncFiles());
  }

  async blob(hash: string): Promise<Buffer | null> {
    if (!/^[0-9a-f]{64}$/.test(hash)) return null;
    const file = path.join(this.#folder, "blobs", hash);
    return fs.promises
      .readFile(file)
      .catch(unlessMissing(null, (error) => diskError(error, "read", file)));
  }

  /** Syncs and closes the open file; the next write opens it again. */
  rest(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#syncFiles();
      if (this.#file === null || this.#dirty) return;
      const file = this.#file;
      this.#file = null;
      await closeFile(file);
    });
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      const files = [...this.#retired, ...(this.#file === null ? [] : [this.#file])];
      this.#retired = [];
      this.#file = null;
      this.#broken ??= new LandlineError("session-closed");
      for (const file of files) await closeFile(file);
    });
  }

  readonly blobs = {
    put: (text: Buffer): string => {
      const hash = createHash("sha256").update(text).digest("hex");
      const folder = path.join(this.#folder, "blobs");
      const file = path.join(folder, hash);
      try {
        if (!fs.existsSync(file)) {
          fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
          // Write to a temporary name and rename, so that a file named by its hash is always complete.
          fs.writeFileSync(`${file}${PART}`, text, { mode: 0o600 });
          this.#retired.push(fs.openSync(`${file}${PART}`, "r+"));
          fs.renameSync(`${file}${PART}`, file);
          this.#newFiles = true;
        }
      } catch (error) {
        throw diskError(error, "store a blob in", folder);
      }
      return hash;
    },
  };

  #beginSegment(chunk: LogChunk): void {
    const file = path.join(this.#folder, segmentName(chunk.first));
    const header = headerLine(this.#sessionId, chunk.first);
    let made: number | null = null;
    try {
      made = fs.openSync(file, "wx", 0o600);
      writeWhole(made, Buffer.concat([header, chunk.bytes]), 0);
    } catch (error) {
      this.#undo(() => {
        if (made !== null) fs.closeSync(made);
        if (made !== null) fs.unlinkSync(file);
      }, error);
      throw diskError(error, "begin", file);
    }
    if (this.#file !== null) this.#retired.push(this.#file);
    this.#file = made;
    this.#newFiles = true;
    this.#segments.push({
      path: file,
      first: chunk.first,
      size: header.length + chunk.bytes.length,
      marks: [{ seq: chunk.first, offset: header.length }],
    });
  }

  #extendSegment(segment: Segment, chunk: LogChunk): void {
    try {
      this.#file ??= fs.openSync(segment.path, "r+");
      writeWhole(this.#file, chunk.bytes, segment.size);
    } catch (error) {
      const file = this.#file;
      this.#undo(() => {
        if (file !== null) fs.ftruncateSync(file, segment.size);
      }, error);
      throw diskError(error, "write to", segment.path);
    }
    noteMark(segment, { seq: chunk.first, offset: segment.size }, this.#limits.indexEvents);
    segment.size += chunk.bytes.length;
  }

  /** Serializes syncs and closes, so that a file is never closed during a sync. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #syncFiles(): Promise<void> {
    const retired = this.#retired;
    this.#retired = [];
    try {
      if (this.#newFiles) await this.#syncFolder();
      for (const file of retired) await syncData(file);
      if (this.#dirty && this.#file !== null) {
        this.#dirty = false;
        await syncData(this.#file);
      }
    } catch (error) {
      // After a failed fsync the content on disk is unknown, and a second fsync may report success.
      this.#broken = diskError(error, "sync", this.#folder);
      throw this.#broken;
    } finally {
      for (const file of retired) fs.close(file);
    }
  }

  /** Reverts a failed write. If that fails too, the log accepts no more writes. */
  #undo(revert: () => void, cause: unknown): void {
    try {
      revert();
    } catch {
      this.#broken = diskError(cause, "write to", this.#folder);
    }
  }

  async #syncFolder(): Promise<void> {
    this.#newFiles = false;
    for (const folder of [
      path.join(this.#folder, "blobs"),
      this.#folder,
      path.dirname(this.#folder),
    ]) {
      const handle = await fs.promises.open(folder, "r").catch(() => null);
      await handle?.sync();
      await handle?.close();
    }
  }
}

function writeWhole(file: number, bytes: Buffer, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += fs.writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}
