import type { Readable, Writable } from "node:stream";
import {
  LandlineError,
  limitsOf,
  toRpcError,
  toSeedError,
  type Limits,
  type RpcErrorShape,
} from "@landline/protocol";
import { type ConnectionFacts, Hits, normaliseParams } from "@landline/protocol/compat";
import { SlidingWindow } from "../sliding-window.ts";
import { AgentRequest } from "./agent-request.ts";
import { Calls, type CallOptions, type CallOutcome } from "./calls.ts";
import { LineSplitter, type OversizedLine } from "@landline/system/line-splitter";
import { isRecord } from "@landline/system/json";
import { readMessageId } from "@landline/system/oversized-message";
import {
  invalidRequest,
  readMessage,
  type AgentUpdate,
  type Message,
  type NoiseReason,
  type Refusal,
  type RequestId,
} from "./message.ts";
import { NoiseMeter, type NoiseReport } from "./noise.ts";
import { Outbox } from "./outbox.ts";
import { requestProblem } from "./shapes.ts";

/**
 * One ACP connection over a pair of byte streams: to an agent, or to a client that uses the gateway as its agent.
 *
 * - Handlers, including the `settle` of a call, run in the order of the lines. A response is never handled before an
 *   earlier message. `flush` follows the messages of one read.
 * - Each request of the agent is answered once, and each call settles once.
 * - Nothing is dropped and memory is bounded. The connection stops reading from an agent that does not read or has
 *   too many open requests. Lines that are not protocol messages are counted as noise.
 */
export interface ConnectionHandlers {
  update(update: AgentUpdate): void;
  notification(method: string, params: unknown): void;
  /** May answer synchronously or later. A thrown error becomes an error response. */
  request(request: AgentRequest): void | Promise<void>;
  noise(report: NoiseReport): void;
  flush(): void;
  /** Called once, after all input is handled and all calls have failed. */
  closed(error: LandlineError | null): void;
}

export interface ConnectionOptions {
  readonly limits?: Limits;
  readonly now?: () => number;
  /** Called with each line: `in` is sent to the agent, `out` is received from it. */
  readonly tap?: (direction: "in" | "out", line: string) => void;
  /** Puts the numbers of seed 003 into `error.code` (`--limits spec`). */
  readonly seedErrorCodes?: boolean;
  /** Answers lines that are not messages. Agents may print such lines; clients must not. */
  readonly answersNoise?: boolean;
}

export class AgentConnection {
  readonly hits = new Hits();
  /** Set by the owner when the connection serves only one session, because some agents omit the session id. */
  facts: ConnectionFacts = {};
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #tap: ConnectionOptions["tap"];
  readonly #toRpcError: (error: LandlineError) => RpcErrorShape;
  readonly #answersNoise: boolean;
  readonly #handlers: ConnectionHandlers;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #splitter: LineSplitter;
  readonly #outbox: Outbox;
  readonly #calls = new Calls(this.hits);
  readonly #requests = new Map<RequestId, AgentRequest>();
  readonly #noise: NoiseMeter;
  /** Reasons why reading is paused. Reading resumes when the set is empty. */
  readonly #holds = new Set<string>();
  readonly #delayed = new Set<NodeJS.Timeout>();
  readonly #errorReplies: SlidingWindow;
  /** The number of bytes of consecutive full reads. */
  #unbrokenBytes = 0;
  #state: "open" | "closed" = "open";

  constructor(
    input: Readable,
    output: Writable,
    handlers: ConnectionHandlers,
    options: ConnectionOptions = {},
  ) {
    this.#limits = options.limits ?? limitsOf("default");
    this.#now = options.now ?? Date.now;
    this.#errorReplies = new SlidingWindow(this.#limits.errorRepliesPerMinute);
    this.#tap = options.tap;
    this.#toRpcError = options.seedErrorCodes === true ? toSeedError : toRpcError;
    this.#answersNoise = options.answersNoise === true;
    this.#handlers = handlers;
    this.#input = input;
    this.#output = output;
    this.#noise = new NoiseMeter(this.#limits, (report) => handlers.noise(report), this.#now);
    this.#splitter = new LineSplitter(this.#limits.lineBytes, {
      line: (line) => this.#line(line),
      invalidLine: (text) => this.#unusable(text, "not UTF-8"),
      oversizedLine: (line) => this.#oversized(line),
    });
    this.#outbox = new Outbox(
      output,
      this.#limits.agentOutboxBytes,
      this.#limits.agentOutboxBytesMax,
      (held) => (held ? this.hold("outbox") : this.release("outbox")),
      options.tap && ((line) => options.tap?.("in", line)),
    );
    input.on("data", (chunk: Buffer) => this.#read(chunk));
    input.on("end", () => this.#ended());
    input.on("error", (error) => this.#close(lost(error)));
    input.on("close", () => this.#close(null));
    // The agent may have closed its output before these listeners were added.
    if (input.readableEnded || input.closed) process.nextTick(() => this.#ended());
    // An exited peer closes its input first. The connection ends when its output ends.
    output.on("error", () => {});
  }

  /**
   * Sends a request. `settle` is called once, in wire order. It is called synchronously only if the request could not
   * be sent.
   */
  call(
    method: string,
    params: unknown,
    options: CallOptions,
    settle: (outcome: CallOutcome) => void,
  ): RequestId | null {
    if (this.#state === "closed") {
      settle({ error: lost() });
      return null;
    }
    if (this.#calls.size >= this.#limits.callsOpen) {
      settle({ error: new LandlineError("agent-not-reading") });
      return null;
    }
    const id = this.#calls.add(method, options, settle, (late) => this.cancel(late));
    if (!this.#outbox.send({ jsonrpc: "2.0", id, method, params })) {
      this.#calls.settle(id, { error: toRpcError(new LandlineError("agent-not-reading")) });
      return null;
    }
    return id;
  }

  /**
   * Like `call`, for callers that do not depend on wire order. An aborted signal cancels the request in the peer, which
   * may still answer it.
   */
  request(
    method: string,
    params: unknown,
    { signal, ...options }: CallOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const cancel = () => {
        if (id !== null) this.cancel(id);
      };
      const id = this.call(method, params, options, ({ result, error }) => {
        signal?.removeEventListener("abort", cancel);
        if (error) reject(error);
        else resolve(result);
      });
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  notify(method: string, params: unknown): void {
    this.#outbox.send({ jsonrpc: "2.0", method, params });
  }

  /** Sends a serialized message. Callers must stop while `isHeld` and continue after `whenWritable`. */
  forward(line: string): void {
    this.#outbox.sendText(line);
  }

  /** Whether too much of the output is still unread. */
  get isHeld(): boolean {
    return this.#outbox.isHeld;
  }

  /** Asks the agent to cancel the request. The call still waits for the response. */
  cancel(id: RequestId): void {
    this.notify("$/cancel_request", { requestId: id });
  }

  /** Stops reading from the agent until `release` is called with the same reason. */
  hold(reason: string): void {
    this.#holds.add(reason);
    this.#input.pause();
  }

  release(reason: string): void {
    this.#holds.delete(reason);
    if (this.#holds.size === 0 && this.#state === "open") this.#input.resume();
  }

  /** Resolves when the agent has read enough for another large message. */
  whenWritable(): Promise<void> {
    return this.#outbox.whenFree();
  }

  get noiseLines(): number {
    return this.#noise.total;
  }

  /** Ends the agent's input. Its remaining output is still read. */
  end(): void {
    this.#output.end();
  }

  /** Destroys both streams. */
  destroy(): void {
    this.#close(null);
    this.#input.destroy();
    this.#output.destroy();
  }

  #read(chunk: Buffer): void {
    this.#splitter.push(chunk);
    this.#flush();
    this.#unbrokenBytes = chunk.length < FULL_READ_BYTES ? 0 : this.#unbrokenBytes + chunk.length;
    if (this.#unbrokenBytes >= this.#limits.agentTurnBytes) this.#yieldToOthers();
  }

  /** Yields to the event loop, so that other connections are read too. */
  #yieldToOthers(): void {
    this.#unbrokenBytes = 0;
    this.hold("turn");
    setImmediate(() => this.release("turn"));
  }

  #ended(): void {
    this.#splitter.end();
    this.#flush();
    this.#close(null);
  }

  #flush(): void {
    this.#noise.flush();
    this.#handlers.flush();
  }

  #line(line: string): void {
    this.#tap?.("out", line);
    const message = readMessage(line, this.#limits.requestIdLength, this.hits);
    if (message.type === "update") this.#handlers.update(message);
    else this.#dispatch(message, line);
  }

  #dispatch(message: Exclude<Message, AgentUpdate>, line: string): void {
    switch (message.type) {
      case "request":
        this.#request(message.id, message.method, message.params);
        break;
      case "notification":
        this.#notification(message.method, message.params);
        break;
      case "response": {
        const problem = this.#calls.settle(message.id, message.body);
        if (problem === null) break;
        const { body, id } = message;
        // It has neither a result nor an error, and belongs to no call: a request without a method.
        if (!("result" in body) && !("error" in body)) this.#refuse(invalidRequest(id), line);
        else this.#noise.add(line, problem);
        break;
      }
      case "refusal":
        this.#refuse(message, line);
        break;
      case "noise":
        if (line.trim() === "") break;
        this.#noise.add(line, message.reason);
        if (this.#answersNoise)
          this.#replyError(
            null,
            new LandlineError(message.reason === "not JSON" ? "parse-error" : "invalid-request"),
          );
        break;
    }
  }

  #refuse({ id, code, message }: Refusal, line: string): void {
    this.#noise.add(line, message);
    this.#replyError(id, new LandlineError(code, { message }));
  }

  #notification(method: string, params: unknown): void {
    if (method === "$/cancel_request") {
      const id = isRecord(params) ? params["requestId"] : undefined;
      this.#requests.get(id as RequestId)?.abort(new LandlineError("request-cancelled"));
      return;
    }
    const normal = this.#normalNotification(method, params);
    if (normal === null) return;
    if (method === "session/update" && isRecord(normal)) {
      const { sessionId, update } = normal;
      // The notation of seed 002 has no update text. The log stores the normalised update instead.
      if (typeof sessionId === "string" && isRecord(update)) {
        this.#handlers.update({ type: "update", sessionId, update, raw: JSON.stringify(update) });
        return;
      }
    }
    this.#handlers.notification(method, normal);
  }

  /**
   * Returns null if the notification can be ignored. A request that was sent as a notification is passed unchanged.
   */
  #normalNotification(method: string, params: unknown): unknown {
    try {
      return normaliseParams(method, params, this.hits);
    } catch {
      return params;
    }
  }

  #request(id: RequestId, method: string, given: unknown): void {
    if (this.#requests.has(id)) {
      this.#replyError(
        id,
        new LandlineError("invalid-request", {
          message: "A request with this id is already open.",
        }),
      );
      return;
    }
    const request = this.#admit(id, method, given);
    if (!request) return;
    this.#requests.set(id, request);
    if (this.#requests.size >= this.#limits.agentRequestsOpen) this.hold("requests");
    const failed = (error: unknown) =>
      request.fail(
        error instanceof LandlineError
          ? error
          : new LandlineError("internal-error", { cause: error }),
      );
    try {
      this.#handlers.request(request)?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #admit(id: RequestId, method: string, given: unknown): AgentRequest | null {
    try {
      const params = normaliseParams(method, given ?? {}, this.hits, this.facts);
      const problem = isRecord(params)
        ? requestProblem(method, params)
        : "params must be an object";
      if (problem) throw new LandlineError("invalid-params", { message: sentence(problem) });
      return new AgentRequest(id, method, params as Readonly<Record<string, unknown>>, (outcome) =>
        this.#answer(id, outcome),
      );
    } catch (error) {
      this.#replyError(
        id,
        error instanceof LandlineError
          ? error
          : new LandlineError("invalid-params", { cause: error }),
      );
      return null;
    }
  }

  #answer(
    id: RequestId,
    outcome: { result: unknown } | { error: LandlineError | RpcErrorShape },
  ): void {
    if (this.#state === "closed") return;
    this.#requests.delete(id);
    if (this.#requests.size < this.#limits.agentRequestsOpen) this.release("requests");
    if ("error" in outcome) this.#replyError(id, outcome.error);
    else if (!this.#outbox.send({ jsonrpc: "2.0", id, result: outcome.result })) {
      this.#replyError(id, new LandlineError("agent-not-reading"));
    }
  }

  /**
   * Error replies are rate-limited: they are delayed, never dropped. Reading continues meanwhile, so that the
   * response to a cancel is handled. It pauses when the number of delayed errors reaches `agentRequestsOpen`.
   */
  #replyError(id: RequestId | null, error: LandlineError | RpcErrorShape): void {
    const shape = error instanceof LandlineError ? this.#toRpcError(error) : error;
    const reply = () => void this.#outbox.send({ jsonrpc: "2.0", id, error: shape });
    const now = this.#now();
    const waitMs = this.#errorReplies.take(now) - now;
    if (waitMs === 0) {
      reply();
      return;
    }
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      if (this.#delayed.size < this.#limits.agentRequestsOpen) this.release("error replies");
      reply();
    }, waitMs);
    this.#delayed.add(timer);
    if (this.#delayed.size >= this.#limits.agentRequestsOpen) this.hold("error replies");
  }

  #oversized(line: OversizedLine): void {
    const { lineBytes } = this.#limits;
    this.#tap?.("out", line.head);
    this.#noise.add(line.head, `longer than the limit for a line (${line.bytes} bytes)`);
    const ends = readMessageId(line);
    if (!ends) return;
    const error = new LandlineError("message-too-large", {
      message: `A message has at most ${lineBytes} bytes.`,
    });
    if (ends.type === "request") this.#replyError(ends.id, error);
    else this.#calls.settle(ends.id, { error: toRpcError(error) });
  }

  #unusable(text: string, reason: NoiseReason): void {
    this.#tap?.("out", text);
    this.#noise.add(text, reason);
    const message = readMessage(text, this.#limits.requestIdLength);
    if (message.type === "request") {
      this.#replyError(
        message.id,
        new LandlineError("invalid-params", { message: `The request is ${reason}.` }),
      );
    } else if (message.type === "response") {
      this.#calls.settle(message.id, { error: reason });
    }
  }

  #close(error: LandlineError | null): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#noise.flush(true);
    this.#outbox.close();
    for (const timer of this.#delayed) clearTimeout(timer);
    const cause = error ?? lost();
    for (const request of this.#requests.values()) request.abort(cause);
    this.#requests.clear();
    this.#calls.failAll(cause);
    this.#handlers.flush();
    this.#handlers.closed(error);
  }
}

/** The size of one full read. After a full read, Node reads again up to 32 times before it handles other events. */
const FULL_READ_BYTES = 65_536;

function sentence(problem: string): string {
  return `The params are not valid: ${problem}.`;
}

function lost(cause?: unknown): LandlineError {
  return new LandlineError("connection-lost", cause === undefined ? {} : { cause });
}
