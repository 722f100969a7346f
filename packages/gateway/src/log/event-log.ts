import { LandlineError, limitsOf, type Limits } from "@landline/protocol";
import { maskOwnTokens } from "../telemetry/mask-tokens.ts";
import { moveLongStrings } from "./blobs.ts";
import { encodeEvent, updateOpening } from "./encode.ts";
import { LineBuffer } from "./line-buffer.ts";
import type { LineReader, Lines } from "./storage.ts";
import type { AppendedChunk, EventDraft, LogChunk, SessionLog, Tail, TailSink } from "./log.ts";
import { LogTail } from "./tail.ts";

export interface LogOptions {
  /** What an event must survive before clients see it: a crash of the process, or a power failure. */
  readonly durability?: "process" | "disk";
  readonly limits?: Limits;
  readonly now?: () => number;
  /** Called after each append, for metrics. */
  readonly onAppend?: (events: number, bytes: number, tookMs: number) => void;
}

/** Shared by all logs: `append` is synchronous, and the buffer is empty before and after it. */
const scratch = new LineBuffer();

/** Assigns sequence numbers, feeds tails and tracks the durable watermark of one session, over any `Lines`. */
export class EventLog implements SessionLog {
  readonly sessionId: string;
  readonly #lines: Lines;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #disk: boolean;
  readonly #onAppend: LogOptions["onAppend"];
  readonly #tails = new Set<LogTail>();
  #durable: number;
  #state: "open" | "closed" = "open";
  #failure: LandlineError | null = null;

  #syncing: Promise<void> | null = null;
  #syncTimer: NodeJS.Timeout | null = null;
  #waiting: { seq: number; settle: PromiseWithResolvers<void> }[] = [];
  /** With durability "disk": chunks that are written but not yet durable, so that tails need not read them back. */
  #unshown: LogChunk[] = [];
  #unshownBytes = 0;

  constructor(sessionId: string, lines: Lines, options: LogOptions = {}) {
    this.sessionId = sessionId;
    this.#lines = lines;
    this.#limits = options.limits ?? limitsOf("default");
    this.#now = options.now ?? Date.now;
    this.#disk = options.durability === "disk";
    this.#onAppend = options.onAppend;
    this.#durable = lines.head;
  }

  get head(): number {
    return this.#lines.head;
  }

  get durable(): number {
    return this.#durable;
  }

  get visible(): number {
    return this.#disk ? this.#durable : this.#lines.head;
  }

  append(drafts: readonly EventDraft[]): AppendedChunk {
    this.#mustBeUsable();
    if (drafts.length === 0) {
      throw new LandlineError("internal-error", { message: "append() needs at least one event." });
    }
    const startedAt = this.#onAppend ? performance.now() : 0;
    const chunk = this.#encode(drafts);
    this.#lines.write(chunk);
    this.#onAppend?.(drafts.length, chunk.bytes.length, performance.now() - startedAt);
    if (this.#disk) this.#holdBack(chunk);
    else for (const tail of this.#tails) tail.push(chunk);
    this.#syncSoon();
    return chunk;
  }

  whenDurable(seq: number): Promise<void> {
    if (seq <= this.#durable) return Promise.resolve();
    if (this.#failure) return Promise.reject(this.#failure);
    const settle = Promise.withResolvers<void>();
    this.#waiting.push({ seq, settle });
    this.#syncNow();
    return settle.promise;
  }

  async *read(after: number): AsyncGenerator<LogChunk> {
    const upTo = this.visible;
    this.#mustReach(after, upTo);
    const reader = this.#lines.reader(after);
    try {
      for (let chunk = await reader.next(upTo); chunk; chunk = await reader.next(upTo)) yield chunk;
    } catch (error) {
      // The files of a deleted log are missing.
      this.#mustBeOpen();
      throw error;
    } finally {
      reader.close();
    }
  }

  async page(before: number, limit: number): Promise<LogChunk | null> {
    const last = Math.min(before - 1, this.visible);
    const count = Math.min(limit, this.#limits.pageEvents);
    if (last < 1 || count < 1) return null;
    const reader = this.#lines.reader(Math.max(0, last - count));
    const chunks: LogChunk[] = [];
    let bytes = 0;
    try {
      for (let chunk = await reader.next(last); chunk; chunk = await reader.next(last)) {
        chunks.push(chunk);
        bytes += chunk.bytes.length;
        // If the events are large, return fewer of them: the newest.
        while (
          chunks[0] &&
          chunks.length > 1 &&
          bytes - chunks[0].bytes.length >= this.#limits.pageBytes
        ) {
          bytes -= chunks[0].bytes.length;
          chunks.shift();
        }
      }
    } finally {
      reader.close();
    }
    return joinChunks(chunks);
  }

  tail(after: number, sink: TailSink): Tail {
    this.#mustBeOpen();
    this.#mustReach(after, this.visible);
    const tail = new LogTail(this, after, sink);
    this.#tails.add(tail);
    tail.resume();
    return tail;
  }

  reader(after: number): LineReader {
    return this.#lines.reader(after);
  }

  leave(tail: LogTail): void {
    this.#tails.delete(tail);
  }

  blob(hash: string): Promise<Buffer | null> {
    return this.#lines.blob(hash);
  }

  /** Syncs, ends the tails and closes the files. */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    if (this.#durable < this.head && !this.#failure)
      await this.whenDurable(this.head).catch(() => {});
    await this.abandon();
  }

  /** Ends the tails and closes the files without a sync, because the log is about to be deleted. */
  async abandon(): Promise<void> {
    this.#state = "closed";
    if (this.#syncTimer) clearTimeout(this.#syncTimer);
    await this.#syncing;
    for (const tail of this.#tails) tail.end();
    this.#settleWaiting(new LandlineError("session-closed"));
    await this.#lines.close();
  }

  #encode(drafts: readonly EventDraft[]): AppendedChunk {
    const first = this.head + 1;
    const at = this.#now();
    let seq = first;
    try {
      for (const draft of drafts) this.#addLine(seq++, at, draft);
      return { first, last: seq - 1, at, bytes: scratch.take() };
    } finally {
      scratch.clear();
    }
  }

  #addLine(seq: number, at: number, draft: EventDraft): void {
    const { blobBytes } = this.#limits;
    if ("raw" in draft) {
      scratch.add(updateOpening(seq, at, draft));
      scratch.add(moveLongStrings(maskOwnTokens(draft.raw), blobBytes, this.#lines.blobs));
      scratch.endObject();
    } else {
      const line = maskOwnTokens(encodeEvent(seq, at, draft));
      scratch.add(moveLongStrings(line, blobBytes, this.#lines.blobs));
    }
    scratch.endLine();
  }

  #holdBack(chunk: LogChunk): void {
    this.#unshown.push(chunk);
    this.#unshownBytes += chunk.bytes.length;
    if (this.#unshownBytes > this.#limits.clientUnsentBytes) this.#forgetUnshown();
  }

  #forgetUnshown(): void {
    this.#unshown = [];
    this.#unshownBytes = 0;
  }

  #syncSoon(): void {
    if (this.#disk) this.#syncNow();
    else this.#syncTimer ??= setTimeout(() => this.#syncNow(), this.#limits.syncDelayMs).unref();
  }

  #syncNow(): void {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = null;
      if (this.#durable < this.head && !this.#failure && (this.#disk || this.#waiting.length > 0)) {
        this.#syncNow();
      }
    });
  }

  async #sync(): Promise<void> {
    if (this.#syncTimer) clearTimeout(this.#syncTimer);
    this.#syncTimer = null;
    const target = this.head;
    try {
      await this.#lines.sync();
    } catch (error) {
      // The kernel may drop dirty pages when fsync fails, so no later sync can make these events durable.
      this.#failure = error as LandlineError;
      this.#settleWaiting(this.#failure);
      if (this.#disk) for (const tail of this.#tails) tail.end(this.#failure);
      return;
    }
    this.#durable = target;
    if (this.#disk) this.#show();
    this.#settleWaiting();
  }

  #show(): void {
    const ready = this.#unshown.filter((chunk) => chunk.last <= this.#durable);
    this.#unshown = this.#unshown.filter((chunk) => chunk.last > this.#durable);
    this.#unshownBytes = this.#unshown.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    for (const tail of this.#tails) {
      for (const chunk of ready) tail.push(chunk);
      tail.wake();
    }
  }

  #settleWaiting(error?: Error): void {
    const waiting = this.#waiting;
    this.#waiting = error ? [] : waiting.filter(({ seq }) => seq > this.#durable);
    for (const { seq, settle } of waiting) {
      if (error) settle.reject(error);
      else if (seq <= this.#durable) settle.resolve();
    }
  }

  #mustBeOpen(): void {
    if (this.#state === "closed") throw new LandlineError("session-closed");
  }

  #mustBeUsable(): void {
    this.#mustBeOpen();
    if (this.#failure) throw this.#failure;
  }

  #mustReach(after: number, visible: number): void {
    if (!Number.isSafeInteger(after) || after < 0) {
      throw new LandlineError("invalid-params", {
        message: "A cursor must be an integer, 0 or more.",
      });
    }
    if (after > visible) throw new LandlineError("cursor-ahead", { data: { head: visible } });
  }
}

function joinChunks(chunks: readonly LogChunk[]): LogChunk | null {
  const first = chunks[0];
  const last = chunks.at(-1);
  if (!first || !last) return null;
  return {
    first: first.first,
    last: last.last,
    bytes: chunks.length === 1 ? first.bytes : Buffer.concat(chunks.map(({ bytes }) => bytes)),
  };
}
