import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  acpMeta,
  asLandlineError,
  isTransient,
  LandlineError,
  readAcpUpdate,
  toRpcError,
} from "@landline/protocol";
import { backoffMs } from "@landline/system/backoff";
import { LineSplitter, type OversizedLine } from "@landline/system/line-splitter";
import { EditorOutput } from "./editor-output.ts";
import { EditorRequests, type EditorRequest } from "./editor-requests.ts";
import { EditorSessions, type SessionPlace } from "./editor-sessions.ts";
import { GatewayRequests } from "./gateway-requests.ts";
import { MESSAGE_BYTES, type AcpSocket } from "./gateway-socket.ts";
import {
  cancellation,
  cursorIn,
  errorOf,
  idKey,
  objectAt,
  readMessage,
  withMeta,
  type JsonObject,
  type Message,
} from "./json-rpc.ts";
import { answerOversized, messageTooLarge } from "./oversized-message.ts";
import { ReconnectingSocket } from "./reconnecting-socket.ts";

export interface BridgeParts {
  readonly input: Readable;
  readonly output: Writable;
  /** `isNeeded`: the editor waits, or the gateway did not end by itself; a gateway may be started. */
  readonly connect: (isNeeded: boolean) => Promise<AcpSocket>;
  /** A message for a person, on stderr. */
  readonly note: (text: string) => void;
  /** The session that `session/new` attaches to. Called when there is a connection. */
  readonly attached: () => string | null;
  /** Ends the bridge, as the end of the input does. */
  readonly signal: AbortSignal;
  /** Whether a person reads the output, who needs no answers in JSON. */
  readonly isTerminal: boolean;
  /** Ends when there can be no connection any more, in place of answering every request with the reason. */
  readonly endsOnFailure: boolean;
}

const KEPT_LENGTH = 64 * 1_024 * 1_024;
/** More unsent bytes stop the reading of the input. */
const UNSENT_BYTES = 1_024 * 1_024;
const FIRST_RESUME_MS = 500;
const LONGEST_RESUME_MS = 30_000;

/**
 * Passes ACP between an editor and `/acp` of a gateway. When the connection is lost, it connects again, resumes the
 * editor's sessions at their cursors and sends unanswered requests again. The editor does not notice.
 */
export class AcpBridge {
  readonly #parts: BridgeParts;
  readonly #output: EditorOutput;
  readonly #socket: ReconnectingSocket;
  readonly #splitter: LineSplitter;
  readonly #requests = new EditorRequests(KEPT_LENGTH);
  readonly #asked = new GatewayRequests();
  readonly #sessions = new EditorSessions();
  /** Requests of the bridge itself. */
  readonly #own = new Map<string, (response: Message) => void>();
  #nextOwnId = 0;
  #messageBytes = MESSAGE_BYTES;
  #initialize: Message | null = null;
  #isInitialized = false;
  /** Whether the editor's messages may be sent. */
  #isReady = false;
  /** Aborted when the connection is lost. */
  #connection = new AbortController();
  #failure: LandlineError | null = null;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.#output = new EditorOutput(parts.output);
    const take = (line: string) => this.#fromEditor(line);
    this.#splitter = new LineSplitter(this.#messageBytes, {
      line: take,
      // The gateway reports what is wrong with invalid lines.
      invalidLine: take,
      oversizedLine: (line) => this.#oversized(line),
    });
    this.#socket = new ReconnectingSocket({
      connect: parts.connect,
      isNeeded: () => this.#requests.size > 0,
      output: this.#output,
      note: parts.note,
      opened: (socket) => this.#connected(socket),
      message: (line) => this.#fromGateway(line),
      lost: () => this.#lost(),
    });
  }

  /** Resolves at the end of the input. Throws why there can be no connection. */
  async run(): Promise<void> {
    const { input, signal, endsOnFailure } = this.#parts;
    const over = new AbortController();
    const ended = this.#readInput(AbortSignal.any([signal, over.signal]));
    const connected = this.#socket.run(over.signal).catch((error: unknown) => {
      this.#fail(asLandlineError(error));
      if (endsOnFailure) over.abort();
    });
    await ended;
    over.abort();
    input.destroy();
    await this.#socket.close();
    await connected;
    if (this.#failure) throw this.#failure;
  }

  async #readInput(signal: AbortSignal): Promise<void> {
    const { input } = this.#parts;
    input.on("data", (chunk: Buffer) => {
      this.#splitter.push(chunk);
      if (this.#isCongested) input.pause();
    });
    const ended = Promise.withResolvers<void>();
    input.once("end", () => {
      this.#splitter.end();
      ended.resolve();
    });
    input.once("error", () => ended.resolve());
    signal.addEventListener("abort", () => ended.resolve(), { once: true });
    if (signal.aborted) ended.resolve();
    await ended.promise;
  }

  get #isCongested(): boolean {
    if (this.#failure) return false;
    if (this.#socket.unsentBytes > UNSENT_BYTES) return true;
    return this.#requests.isFull && this.#requests.all().some((request) => this.#mustWait(request));
  }

  /** Brings a new connection to the state that the editor expects, and sends what was not answered. */
  async #connected({ messageBytes }: AcpSocket): Promise<void> {
    this.#connection = new AbortController();
    this.#messageBytes = messageBytes;
    this.#splitter.maxBytes = messageBytes;
    if (this.#isInitialized && this.#initialize) {
      const { error } = await this.#request("initialize", objectAt(this.#initialize, "params"));
      if (error) throw errorOf(error);
    }
    for (const place of this.#sessions.toFollow()) {
      const failure = await this.#resumeSession(place);
      if (failure) void this.#resumeLater(place, failure, this.#connection.signal);
    }
    this.#isReady = true;
    this.#sendRequests();
    this.#parts.input.resume();
  }

  #lost(): void {
    this.#isReady = false;
    this.#connection.abort();
    this.#sessions.lost();
    this.#requests.lost();
    const error = { ...toRpcError(new LandlineError("connection-lost")) };
    for (const settle of this.#own.values()) settle({ error });
    this.#own.clear();
    for (const withdrawn of this.#asked.lost()) this.#toEditor(withdrawn);
  }

  /** Returns a failure that may pass. Other sessions are not affected by it. */
  async #resumeSession(place: SessionPlace): Promise<LandlineError | null> {
    const { sessionId, cursor, message } = place;
    const _meta = {
      [acpMeta.promptIds]: this.#requests.promptsOf(sessionId),
      ...(message !== undefined && { [acpMeta.message]: message }),
    };
    const { error } = await this.#request("stream/resume", { sessionId, cursor, _meta });
    const failure = error && errorOf(error);
    if (failure?.code === "connection-lost") throw failure;
    if (failure && isTransient(failure.code)) return failure;
    if (failure?.code === "cursor-ahead") await this.#resumeAtEnd(sessionId, _meta);
    else if (failure) this.#leave(sessionId, failure);
    else this.#sessions.followed(sessionId);
    for (const withdrawn of this.#asked.resumed(sessionId)) this.#toEditor(withdrawn);
    return null;
  }

  /** The log was restored from an older copy. */
  async #resumeAtEnd(sessionId: string, _meta: JsonObject): Promise<void> {
    const { error, result } = await this.#request("session/resume", { sessionId, _meta });
    if (error) this.#leave(sessionId, errorOf(error));
    else this.#sessions.opened(sessionId, cursorIn({ result: result ?? {} }));
  }

  /** The gateway answers further requests for it with the reason. */
  #leave(sessionId: string, { message }: LandlineError): void {
    this.#parts.note(`The session ${sessionId} can't be continued: ${message}`);
    this.#sessions.remove(sessionId);
  }

  /** Tries again until the session is followed or the connection is lost. Then its requests are sent. */
  async #resumeLater(
    place: SessionPlace,
    { message, retryAfterMs }: LandlineError,
    signal: AbortSignal,
  ): Promise<void> {
    this.#parts.note(`The session ${place.sessionId} can't be continued yet: ${message}`);
    let waitMs = retryAfterMs;
    for (let tries = 0; !signal.aborted; tries++) {
      const delay = waitMs ?? backoffMs(FIRST_RESUME_MS, LONGEST_RESUME_MS, tries);
      await pause(delay, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const failure = await this.#resumeSession(place).catch(asLandlineError);
      if (failure === null) return this.#sendRequests();
      waitMs = failure.retryAfterMs;
    }
  }

  #request(method: string, params: JsonObject): Promise<Message> {
    const id = `landline-acp:${this.#nextOwnId++}`;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#own.set(idKey(id), resolve);
    this.#send({ jsonrpc: "2.0", id, method, params });
    return promise;
  }

  #fromEditor(line: string): void {
    const message = readMessage(line);
    if (message === null || typeof message.method !== "string") {
      if (message && "id" in message) this.#answer(message);
      else if (this.#isReady && line.trim() !== "") this.#sendText(line);
      return;
    }
    if (message.id === undefined || message.id === null) {
      this.#requests.noteCancel(message);
      if (this.#isReady) this.#sendText(line);
      return;
    }
    if (this.#failure) return this.#refuse(message.id, this.#failure);
    if (message.method === "initialize") this.#initialize = message;
    const request =
      message.method === "session/prompt"
        ? this.#addPrompt(message, line)
        : this.#requests.add(message, line);
    if (!this.#mustWait(request)) this.#sendRequest(request);
  }

  #oversized(line: OversizedLine): void {
    const refusal = answerOversized(line, this.#messageBytes);
    if (refusal?.to === "gateway") this.#answer(refusal.answer);
    else if (refusal) this.#refuse(refusal.answer.id, messageTooLarge(this.#messageBytes));
    else this.#parts.note(`A message of ${line.bytes} bytes is too large and was not sent.`);
  }

  /** The editor answers a request of the gateway. */
  #answer(answer: Message): void {
    const { gateway } = this.#asked.answer(answer);
    if (gateway) this.#send(gateway);
  }

  /** A prompt gets an id, so that it can be sent again and runs once. */
  #addPrompt(message: Message, line: string): EditorRequest {
    const given = objectAt(objectAt(message, "params"), "_meta")[acpMeta.promptId];
    if (typeof given === "string") return this.#requests.add(message, line);
    const named = withMeta(message, { [acpMeta.promptId]: randomUUID() });
    return this.#requests.add(named, JSON.stringify(named));
  }

  #mustWait({ method, sessionId }: EditorRequest): boolean {
    if (method === "initialize" && !this.#isInitialized) return !this.#socket.isConnected;
    return !this.#isReady || this.#sessions.isAwaited(sessionId);
  }

  /** Sends requests that were not sent on this connection. */
  #sendRequests(): void {
    for (const request of this.#requests.unsent())
      if (!this.#mustWait(request)) this.#sendRequest(request);
  }

  /** Sends a request that was not answered, perhaps again. */
  #sendRequest(request: EditorRequest): void {
    const { line, id } = request;
    if (line === null) return this.#refuseRequest(id, new LandlineError("connection-lost"));
    const meta = this.#metaFor(request);
    const text = meta === null ? line : JSON.stringify(withMeta(readMessage(line) ?? {}, meta));
    if (Buffer.byteLength(text) > this.#messageBytes)
      return this.#refuseRequest(id, messageTooLarge(this.#messageBytes));
    this.#sessions.sent(request);
    this.#sendText(text);
    // By its id, because another turn may run by now.
    if (request.isCancelled) this.#send(cancellation(id));
    this.#requests.sent(request);
  }

  #metaFor(request: EditorRequest): JsonObject | null {
    if (request.method === "session/new" || request.method === "session/list") {
      const attached = this.#parts.attached();
      return attached === null ? null : { [acpMeta.attach]: attached };
    }
    const cursor = this.#sessions.loadedUpTo(request);
    return cursor === null ? null : { [acpMeta.cursor]: cursor };
  }

  #fromGateway(line: string): void {
    const update = readAcpUpdate(line);
    if (update) {
      for (const received of this.#sessions.received(update, line)) this.#output.write(received);
      return;
    }
    const message = readMessage(line);
    if (message === null) return;
    if (typeof message.method !== "string") this.#response(message, line);
    else if ("id" in message) {
      const { editor, gateway } = this.#asked.receive(message);
      if (editor) this.#toEditor(editor);
      if (gateway) this.#send(gateway);
    } else if (message.method === "$/cancel_request") {
      const withdrawn = this.#asked.cancel(objectAt(message, "params")["requestId"]);
      if (withdrawn) this.#toEditor(withdrawn);
    } else this.#output.write(line);
  }

  #response(message: Message, line: string): void {
    const key = idKey(message.id);
    const settle = this.#own.get(key);
    if (settle) {
      this.#own.delete(key);
      settle(message);
      return;
    }
    const request = this.#requests.take(message.id);
    if (request?.method === "initialize") {
      this.#isInitialized = message.result !== undefined;
      this.#sessions.isVersion2 = message.result?.["protocolVersion"] === 2;
    }
    if (request) this.#sessions.answered(request, message);
    if (request?.isCancelled && isInterrupted(message))
      this.#toEditor({ jsonrpc: "2.0", id: message.id, result: { stopReason: "cancelled" } });
    else this.#output.write(line);
  }

  /** From now on every request is answered with the error, because editors show that. */
  #fail(error: LandlineError): void {
    this.#failure = error;
    for (const { id } of this.#requests.all()) this.#refuseRequest(id, error);
    this.#parts.input.resume();
  }

  #refuseRequest(id: unknown, error: LandlineError): void {
    this.#requests.take(id);
    this.#refuse(id, error);
  }

  #refuse(id: unknown, error: LandlineError): void {
    if (this.#parts.isTerminal) return;
    const { help } = error;
    const shape = toRpcError(error);
    const message =
      help === "" || shape.message.includes(help) ? shape.message : `${shape.message} ${help}`;
    this.#toEditor({ jsonrpc: "2.0", id, error: { ...shape, message } });
  }

  #send(message: Message): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(line: string): void {
    this.#socket.send(line, () => {
      if (this.#parts.input.isPaused() && !this.#isCongested) this.#parts.input.resume();
    });
  }

  #toEditor(message: Message): void {
    this.#output.write(JSON.stringify(message));
  }
}

function isInterrupted({ error }: Message): boolean {
  return objectAt(error, "data")["reason"] === "turn-interrupted";
}
