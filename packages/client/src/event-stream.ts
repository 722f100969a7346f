import {
  isTransient,
  LandlineError,
  sessionGoneCodes,
  type ErrorCode,
  type GatewayFrame,
} from "@landline/protocol";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { eventsOf, isView, type AnyEvent } from "./read-frame.ts";
import type { Http } from "./http.ts";
import type { Api } from "./api.ts";
import { httpApi } from "./http-api.ts";
import { requestOf } from "./operation-request.ts";
import { pause } from "./pause.ts";
import { problemOf } from "./problem.ts";
import type { Timing } from "./timing.ts";

/**
 * How events are read: streamed; by long polling, when a proxy buffers streams; or by polling, which holds no
 * connection.
 */
export type Reading = "streamed" | "awaited" | "polled";

export interface EventStreamParts {
  readonly http: Http;
  readonly timing: Timing;
  readonly sessionId: string;
  readonly after: number;
  readonly reading: Reading;
  readonly heard: (frame: GatewayFrame) => void;
  /** Called once, when the stream has started or failed to start. */
  readonly started: (error: LandlineError | null) => void;
  /** A proxy buffers the stream; long polling is used from now on. */
  readonly heldBack: () => void;
  /** The gateway no longer responds. */
  readonly broken: (error: LandlineError) => void;
  /** The stream ended or was closed. */
  readonly ended: () => void;
}

/** The number of missing events above which a snapshot is requested. */
const snapshotAfter = 5_000;

/** The events of one session over HTTP, in order, until it is closed. A stream that ends is opened again. */
export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #api: Api;
  readonly #closing = new AbortController();
  #reading: Reading;
  #last: number;
  /** The end of the log at the start. Up to it, a stream must deliver events. */
  #head = 0;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#reading = parts.reading;
    this.#api = httpApi(parts.http);
    this.#last = parts.after;
    void this.#run().finally(parts.ended);
  }

  get isPolled(): boolean {
    return this.#reading === "polled";
  }

  close(): void {
    this.#closing.abort();
  }

  get #isOver(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    const { started, broken, sessionId } = this.#parts;
    try {
      await this.#begin();
      if (this.#isOver) return;
      started(null);
    } catch (error) {
      if (!this.#isOver) started(problem(error));
      return;
    }
    try {
      while (!this.#isOver) await (this.#reading === "streamed" ? this.#follow() : this.#ask());
    } catch (error) {
      if (this.#isOver) return;
      const { code } = problem(error);
      if (sessionGoneCodes.includes(code))
        this.#tell({ type: "sessions", sessions: [], gone: [sessionId] });
      else if (isTransient(code, "connection") || accessCodes.has(code)) broken(problem(error));
      // An unreadable log affects only this session.
      else this.#tell({ type: "gap", sessionId, head: 0 });
    }
  }

  /** Sends the `attached` frame before all others. */
  async #begin(): Promise<void> {
    const { sessionId, after } = this.#parts;
    const { head } = await this.#api.readEvents({ sessionId, after, limit: 1 });
    this.#head = head;
    if (after > head) {
      this.#tell({ type: "gap", sessionId, head });
      throw new LandlineError("cursor-ahead", { data: { sessionId, head } });
    }
    if (head - after > snapshotAfter) {
      const { view } = await this.#api.readSession({ sessionId });
      if (isView(view) && view.head > after) {
        this.#last = view.head;
        const whole = Math.max(head, view.head);
        this.#tell({ type: "attached", sessionId, head: whole, from: "snapshot", view });
        return;
      }
    }
    this.#tell({ type: "attached", sessionId, head, from: "tail" });
  }

  async #ask(): Promise<void> {
    const { sessionId, timing } = this.#parts;
    const wait = this.isPolled ? undefined : timing.quietMs;
    const { signal } = this.#closing;
    const page = { sessionId, after: this.#last, wait };
    const { events } = await this.#api.readEvents(page, { signal });
    this.#tellEvents(events);
    // Also after a long poll, because a server may answer without waiting.
    if (events.length === 0) {
      await pause(this.isPolled ? timing.eventsPollMs : timing.retryMs, this.#closing.signal);
    }
  }

  async #follow(): Promise<void> {
    const { http, sessionId, timing } = this.#parts;
    const silent = new AbortController();
    const watch = (waitMs: number) => setTimeout(() => silent.abort(), waitMs);
    const heard: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => heard.push(message) });
    const decoder = new TextDecoder();
    const startedAt = this.#last;
    let watching = watch(timing.streamMs);
    try {
      const { path, query } = requestOf("read-events", { sessionId, after: this.#last });
      const body = await http.stream(path, {
        query,
        accept: "text/event-stream",
        signal: AbortSignal.any([this.#closing.signal, silent.signal]),
      });
      for await (const bytes of chunksOf(body)) {
        clearTimeout(watching);
        parser.feed(decoder.decode(bytes, { stream: true }));
        this.#read(heard.splice(0));
        const isBehind = this.#last < this.#head;
        watching = watch(isBehind ? timing.streamMs : timing.quietMs + timing.wordMs);
      }
    } catch (error) {
      if (error instanceof LandlineError && !silent.signal.aborted) throw error;
      // The stream broke or did not start. Opening it again shows whether the gateway is reachable.
    } finally {
      clearTimeout(watching);
    }
    if (silent.signal.aborted) this.#awaitFromNowOn();
    else if (this.#last === startedAt) await pause(timing.retryMs, this.#closing.signal);
    // The streams of a deleted session end without an error, so check that it exists.
    if (!this.#isOver) await this.#api.readEvents({ sessionId, after: this.#last, limit: 1 });
  }

  #awaitFromNowOn(): void {
    this.#reading = "awaited";
    this.#parts.heldBack();
  }

  #read(messages: readonly EventSourceMessage[]): void {
    const { sessionId } = this.#parts;
    const events: unknown[] = [];
    for (const { event, data } of messages) {
      if (event === "ping") this.#tell({ type: "ping" });
      else if (event === "problem") throw problemOf(parsed(data));
      else if (event === "gap") {
        this.#tell({ type: "gap", sessionId, head: 0 });
        this.close();
      } else events.push(parsed(data));
    }
    this.#tellEvents(eventsOf(events));
  }

  #tellEvents(events: readonly AnyEvent[]): void {
    const last = events.at(-1);
    if (!last || this.#isOver) return;
    this.#last = Math.max(this.#last, last.seq);
    this.#tell({ type: "events", sessionId: this.#parts.sessionId, events });
  }

  #tell(frame: GatewayFrame): void {
    if (!this.#isOver) this.#parts.heard(frame);
  }
}

/** Not every browser supports `for await` on streams. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

function problem(error: unknown): LandlineError {
  return error instanceof LandlineError
    ? error
    : new LandlineError("internal-error", { cause: error });
}

/** Errors that affect every request, as those of the connection do. */
const accessCodes: ReadonlySet<ErrorCode> = new Set([
  "request-cancelled",
  "unauthorized",
  "forbidden",
]);
