import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { acpMeta, LandlineError, readAcpUpdate } from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import type { RequestId } from "../../acp-connection/message.ts";
import type { Principal } from "../auth.ts";
import { beatsPerQuiet } from "../client-socket.ts";
import type { Services } from "../services.ts";
import { AcpPeer } from "./acp-peer.ts";
import { HttpLines } from "./http-lines.ts";
import { oneLine } from "./one-line.ts";
import { ResumableStream } from "./resumable-stream.ts";

export interface HttpConnectionParts {
  readonly principal: Principal;
  readonly services: Services;
  /** The agent of new sessions. */
  readonly agentId: string;
  readonly now?: () => number;
}

/** One message of the client: its text, parsed, and the session that its header names. */
export interface SentMessage {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly sessionId: string | null;
}

/** A request of the client: where its response is sent. */
interface Route {
  readonly sessionId: string | null;
  /** Whether the response is sent on the stream of the connection, after the messages of the session. */
  readonly isLoad: boolean;
}

/**
 * One ACP connection over Streamable HTTP: the client sends each message with POST, and reads the gateway's messages as
 * server-sent events, from one stream for the connection and one for each session.
 */
export class AcpHttpConnection {
  /** Unguessable, but no credential: only the token that opened the connection may use it. */
  readonly id = randomBytes(24).toString("base64url");
  readonly principal: Principal;
  readonly ended: Promise<void>;
  readonly #services: Services;
  readonly #now: () => number;
  readonly #lines: HttpLines;
  readonly #peer: AcpPeer;
  readonly #stream: ResumableStream;
  readonly #sessions = new Map<string, ResumableStream>();
  /** Requests of the client that were not answered yet. */
  readonly #routes = new Map<RequestId, Route>();
  /** Requests to the client that it has not answered yet, and their sessions. */
  readonly #asked = new Map<RequestId, string | null>();
  #initialize: PromiseWithResolvers<string> | null = null;
  #waiting = 0;
  #beats = 0;
  #usedAt: number;
  #isEnded = false;

  constructor({ principal, services, agentId, now = Date.now }: HttpConnectionParts) {
    this.principal = principal;
    this.#services = services;
    this.#now = now;
    this.#usedAt = now();
    this.#stream = new ResumableStream(services.limits);
    this.#lines = new HttpLines((lines) => this.#send(lines));
    services.metrics.clients.add("acp", 1);
    this.#peer = new AcpPeer({
      stream: this.#lines,
      principal,
      services,
      agentId,
      flowOf: (sessionId) => this.#streamOf(sessionId),
    });
    this.ended = this.#peer.ended.then(() => this.#end());
  }

  /** Returns the response to `initialize`, as JSON. */
  async initialize(text: string, signal: AbortSignal): Promise<string> {
    const response = Promise.withResolvers<string>();
    this.#initialize = response;
    const abort = () => response.reject(new LandlineError("request-cancelled"));
    signal.addEventListener("abort", abort, { once: true });
    void this.ended.then(() => response.reject(new LandlineError("connection-lost")));
    try {
      this.#lines.receive(oneLine(text));
      return await response.promise;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#initialize = null;
    }
  }

  /** Passes on a message. Returns false if the connection has ended. Throws `invalid-request` and `rate-limited`. */
  async receive(message: SentMessage): Promise<boolean> {
    this.#usedAt = this.#now();
    await this.#whenRead();
    if (this.#isEnded) return false;
    if (typeof message.value["method"] === "string") this.#expectResponse(message);
    else this.#takeResponse(message);
    this.#lines.receive(oneLine(message.text));
    return true;
  }

  /**
   * Opens the stream of the connection or of a session. Returns false, and sends nothing, if the messages after
   * `lastEventId` are not kept, or there are too many streams.
   */
  open(
    sessionId: string | null,
    outgoing: ServerResponse,
    headers: Readonly<Record<string, string>>,
    lastEventId?: string,
  ): boolean {
    this.#usedAt = this.#now();
    const stream = sessionId === null ? this.#stream : this.#existingOrNew(sessionId);
    return stream?.open(outgoing, headers, lastEventId) ?? false;
  }

  /** Ends the streams. The sessions continue. Idempotent. */
  close(): void {
    this.#peer[Symbol.dispose]();
  }

  /** Called `beatsPerQuiet` times in `socketQuietMs`. Ends a connection whose client is gone. */
  beat(): void {
    const now = this.#now();
    const streams = this.#streams();
    this.#beats += 1;
    if (this.#beats % beatsPerQuiet === 0) for (const stream of streams) stream.beat(now);
    const isBusy = this.#initialize !== null || this.#waiting > 0;
    if (isBusy || streams.some(({ hasReceiver }) => hasReceiver)) this.#usedAt = now;
    if (now - this.#usedAt >= this.#services.limits.acpIdleMs) this.close();
  }

  /** Waits while earlier messages were not read yet. Throws `rate-limited`. */
  async #whenRead(): Promise<void> {
    const { socketCommandsOpen, socketQuietMs } = this.#services.limits;
    if (this.#lines.isFull && this.#waiting >= socketCommandsOpen)
      throw new LandlineError("rate-limited", {
        message: "Too many messages of this connection wait already.",
        retryAfterMs: socketQuietMs,
        data: { limit: "socketCommandsOpen" },
      });
    this.#waiting += 1;
    while (this.#lines.isFull) await this.#lines.whenRead();
    this.#waiting -= 1;
  }

  #expectResponse({ value, sessionId }: SentMessage): void {
    const { method, params, id } = value;
    if (method === "initialize")
      throw refusal("This connection is initialized already. Send initialize without an id.");
    const named = isRecord(params) ? params["sessionId"] : undefined;
    if (typeof named === "string" && sessionId === null)
      throw refusal("The header Acp-Session-Id is missing.");
    if (typeof named === "string" && sessionId !== named)
      throw refusal("The header Acp-Session-Id and params.sessionId differ.");
    const { requestIdLength, agentRequestsOpen } = this.#services.limits;
    if (!isRequestId(id) || String(id).length > requestIdLength) return;
    // A response without a route is sent on the stream of the connection.
    if (this.#routes.size < agentRequestsOpen * 2)
      this.#routes.set(id, { sessionId, isLoad: method === "session/load" });
  }

  #takeResponse({ value, sessionId }: SentMessage): void {
    const { id } = value;
    if (!isRequestId(id)) return;
    const asked = this.#asked.get(id);
    if (typeof asked === "string" && sessionId !== asked)
      throw refusal(`The header Acp-Session-Id must be that of the request: ${asked}.`);
    this.#asked.delete(id);
  }

  #send(lines: readonly string[]): Promise<void> | null {
    const touched = new Set<ResumableStream>();
    const full = new Set<ResumableStream>();
    for (const line of lines) {
      const update = readAcpUpdate(line);
      const stream = update ? this.#streamOf(update.sessionId) : this.#sendOther(line);
      if (update) stream?.push(line, update.cursor);
      else if (stream?.isFull) full.add(stream);
      if (stream) touched.add(stream);
    }
    for (const stream of touched) stream.flush();
    return full.size === 0 ? null : whenWritable(full);
  }

  /** Sends a request, a response or another notification. Returns its stream. */
  #sendOther(line: string): ResumableStream | null {
    const message = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const id = isRequestId(message["id"]) ? message["id"] : null;
    if (typeof message["method"] === "string") {
      const stream = this.#streamOf(this.#sessionOf(message, id));
      stream.push(line, null);
      return stream;
    }
    if (this.#initialize) {
      this.#initialize.resolve(line);
      return null;
    }
    const { sessionId = null, isLoad = false } = (id !== null && this.#routes.get(id)) || {};
    if (id !== null) this.#routes.delete(id);
    const stream = this.#streamOf(isLoad ? null : sessionId);
    if (isLoad && sessionId !== null) void this.#sendAfter(this.#streamOf(sessionId), line);
    else stream.push(line, null);
    return stream;
  }

  /** The client should receive the history before the response to `session/load`, which is on another stream. */
  async #sendAfter(history: ResumableStream, line: string): Promise<void> {
    history.flush();
    await history.whenSent();
    this.#stream.push(line, null);
    this.#stream.flush();
  }

  /** The session that a request or notification to the client is about. */
  #sessionOf(message: Readonly<Record<string, unknown>>, id: RequestId | null): string | null {
    const params = isRecord(message["params"]) ? message["params"] : {};
    const { sessionId, requestId, _meta } = params;
    // A message about a session of a subagent names the session that it belongs to.
    const parent = isRecord(_meta) ? _meta[acpMeta.session] : undefined;
    const named = [parent, sessionId].find((one) => typeof one === "string") ?? null;
    // `$/cancel_request` follows the request that it withdraws.
    if (id === null && isRequestId(requestId)) return this.#asked.get(requestId) ?? named;
    if (id !== null) this.#asked.set(id, named);
    return named;
  }

  /** The stream of a session; that of the connection if there are too many. */
  #streamOf(sessionId: string | null): ResumableStream {
    return (sessionId === null ? null : this.#existingOrNew(sessionId)) ?? this.#stream;
  }

  #existingOrNew(sessionId: string): ResumableStream | null {
    const existing = this.#sessions.get(sessionId);
    if (existing) return existing;
    const { limits } = this.#services;
    if (this.#sessions.size >= limits.sessionsPerSocket) {
      const [idle] = [...this.#sessions].find(([, stream]) => stream.isIdle) ?? [];
      if (idle === undefined) return null;
      this.#sessions.delete(idle);
    }
    const stream = new ResumableStream(limits);
    this.#sessions.set(sessionId, stream);
    return stream;
  }

  #streams(): readonly ResumableStream[] {
    return [this.#stream, ...this.#sessions.values()];
  }

  #end(): void {
    this.#isEnded = true;
    for (const stream of this.#streams()) stream.end();
    this.#sessions.clear();
    this.#routes.clear();
    this.#asked.clear();
    this.#services.metrics.clients.add("acp", -1);
  }
}

async function whenWritable(streams: Iterable<ResumableStream>): Promise<void> {
  for (const stream of streams) await stream.whenWritable();
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number";
}

function refusal(message: string): LandlineError {
  return new LandlineError("invalid-request", { message });
}
