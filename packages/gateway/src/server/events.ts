import type { ServerResponse } from "node:http";
import { asLandlineError, LandlineError, type Limits, toProblem } from "@landline/protocol";
import type { LogChunk, VisibleLog, Tail } from "../log/log.ts";
import type { Principal } from "./auth.ts";
import { shownTo } from "./hidden-paths.ts";
import type { Services } from "./services.ts";
import { type Dialect, sseBytes, sseEvent } from "./sse.ts";

export interface StreamRequest {
  readonly log: VisibleLog;
  readonly after: number;
  readonly dialect: Dialect;
  readonly principal: Principal;
  readonly outgoing: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Server-sent events: every event after the cursor once, in order. A client has a cursor and no queue: with
 * `clientUnsentBytes` unsent, writing stops; when half of it is read, it continues from the log. A cursor that the log
 * cannot serve gets `gap`, then all events from the start.
 */
export class EventStreams {
  readonly #services: Services;
  readonly #streams = new Set<EventStream>();
  readonly #revocations: Disposable;
  #heartbeat: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(services: Services) {
    this.#services = services;
    this.#revocations = services.tokens.watch((tokenId) => {
      for (const stream of this.#streams) if (stream.tokenId === tokenId) stream.end();
    });
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Throws, before anything is sent, when this client has too many streams. */
  open(request: StreamRequest): void {
    this.#checkRoom(request.principal.tokenId);
    const { limits, logger, metrics } = this.#services;
    const stream = new EventStream(request, this.#services, (error) => {
      this.#streams.delete(stream);
      metrics.clients.set("sse", this.#streams.size);
      if (this.#streams.size === 0) this.#stopHeartbeat();
      if (error)
        logger.warn("An event stream failed.", { error, sessionId: request.log.sessionId });
    });
    this.#streams.add(stream);
    metrics.clients.set("sse", this.#streams.size);
    this.#heartbeat ??= setInterval(() => this.#beat(), limits.heartbeatMs).unref();
    stream.start();
  }

  close(): void {
    this.#isClosed = true;
    this.#revocations[Symbol.dispose]();
    this.#stopHeartbeat();
    for (const stream of this.#streams) stream.end();
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat();
  }

  #stopHeartbeat(): void {
    if (this.#heartbeat) clearInterval(this.#heartbeat);
    this.#heartbeat = null;
  }

  #checkRoom(tokenId: string): void {
    if (this.#isClosed) throw new LandlineError("request-cancelled");
    const { streamsPerToken, heartbeatMs } = this.#services.limits;
    let open = 0;
    for (const stream of this.#streams) if (stream.tokenId === tokenId) open++;
    if (open < streamsPerToken) return;
    throw new LandlineError("rate-limited", {
      message: `This token already has ${open} event streams open.`,
      retryAfterMs: heartbeatMs,
      data: { limit: "streamsPerToken" },
    });
  }
}

const ping = Buffer.from(sseEvent("ping", {}));

class EventStream {
  readonly tokenId: string;
  readonly #request: StreamRequest;
  readonly #outgoing: ServerResponse;
  readonly #limits: Limits;
  readonly #show: (error: LandlineError) => LandlineError;
  readonly #onEnd: (error?: Error) => void;
  #tail: Tail | null = null;
  #state: "open" | "held" | "ended" = "open";
  /** Whether something was written since the last heartbeat. */
  #isFresh = false;

  constructor(request: StreamRequest, services: Services, onEnd: (error?: Error) => void) {
    this.tokenId = request.principal.tokenId;
    this.#request = request;
    this.#outgoing = request.outgoing;
    this.#limits = services.limits;
    this.#show = (error) => shownTo(request.principal, error, services);
    this.#onEnd = onEnd;
  }

  start(): void {
    const { log, after, headers } = this.#request;
    // The end of the connection ends the stream. Without chunked encoding, the shared buffers are written unchanged.
    this.#outgoing.useChunkedEncodingByDefault = false;
    this.#outgoing.shouldKeepAlive = false;
    this.#outgoing.writeHead(200, headers);
    this.#outgoing.on("close", () => this.end());
    this.#outgoing.on("error", () => this.end());
    this.#write(`retry: ${this.#limits.streamRetryMs}\n\n`);
    try {
      this.#follow(after);
    } catch (error) {
      const problem = asLandlineError(error);
      if (problem.code !== "cursor-ahead") return this.#fail(problem);
      const { visible: head } = log;
      // The id 0 makes a reconnecting client start from the beginning instead of ahead again.
      this.#write(sseEvent("gap", { type: "gap", sessionId: log.sessionId, head }, 0));
      this.#follow(0);
    }
  }

  beat(): void {
    if (this.#state === "open" && !this.#isFresh) this.#write(ping);
    this.#isFresh = false;
  }

  end(): void {
    if (this.#state === "ended") return;
    this.#finish();
  }

  #follow(after: number): void {
    const tail = this.#request.log.tail(after, {
      write: (chunk) => this.#send(chunk),
      end: (error) => (error ? this.#fail(error) : this.end()),
    });
    // The tail may have ended this stream in its constructor.
    if (this.#isEnded()) tail[Symbol.dispose]();
    else this.#tail = tail;
  }

  #isEnded(): boolean {
    return this.#state === "ended";
  }

  #send(chunk: LogChunk): boolean {
    if (this.#state === "ended") return false;
    const { dialect, log } = this.#request;
    this.#write(sseBytes(chunk, dialect, log.sessionId));
    if (this.#outgoing.writableLength <= this.#limits.clientUnsentBytes) return true;
    this.#state = "held";
    return false;
  }

  #write(bytes: Buffer | string): void {
    this.#isFresh = true;
    this.#outgoing.write(bytes, this.#resume);
  }

  // One function for all writes.
  readonly #resume = (): void => {
    const half = this.#limits.clientUnsentBytes / 2;
    if (this.#state !== "held" || this.#outgoing.writableLength > half) return;
    this.#state = "open";
    this.#tail?.resume();
  };

  #fail(error: Error): void {
    if (this.#state === "ended") return;
    this.#write(sseEvent("problem", toProblem(this.#show(asLandlineError(error)))));
    this.#finish(error);
  }

  #finish(error?: Error): void {
    this.#state = "ended";
    this.#tail?.[Symbol.dispose]();
    this.#outgoing.end();
    // A client that does not read the rest is cut off.
    const cut = setTimeout(() => this.#outgoing.destroy(), this.#limits.serverCloseMs).unref();
    this.#outgoing.once("close", () => clearTimeout(cut));
    this.#onEnd(error);
  }
}
