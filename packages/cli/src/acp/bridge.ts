import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  acpMeta,
  asLandlineError,
  LandlineError,
  readAcpUpdate,
  toRpcError,
  type AcpUpdatePlace,
  type ErrorCode,
} from "@landline/protocol";
import { backoffMs } from "@landline/system/backoff";
import { LineSplitter } from "@landline/system/line-splitter";
import type { WebSocket } from "ws";
import { EditorRequests, type EditorRequest } from "./editor-requests.ts";
import { GatewayRequests } from "./gateway-requests.ts";
import {
  cursorIn,
  idKey,
  objectAt,
  readMessage,
  withMeta,
  type JsonObject,
  type Message,
} from "./json-rpc.ts";

export interface BridgeParts {
  readonly input: Readable;
  readonly output: Writable;
  /** `isNeeded`: the editor waits, or the gateway did not end by itself; a gateway may be started. */
  readonly connect: (isNeeded: boolean) => Promise<WebSocket>;
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

/** A session that the editor uses. */
interface EditorSession {
  /** The last event whose updates the editor has received. */
  cursor: number;
  /** False while the editor waits for the response that opens it. */
  isOpen: boolean;
  /** Updates of an event whose last update was not received yet. */
  held: string[];
  /** The last update of version 2 that the editor has received; null in version 1, where it is not needed. */
  last: string | null;
}

const MESSAGE_BYTES = 32 * 1_024 * 1_024;
const KEPT_LENGTH = 64 * 1_024 * 1_024;
/** More unsent bytes stop the reading of the input. */
const UNSENT_BYTES = 1_024 * 1_024;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const PING_MS = 30_000;
const GOING_AWAY = 1001;

/** Refusals that another attempt would not change. */
const finalErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthorized",
  "forbidden",
  "agent-not-found",
  "invalid-params",
  "config-invalid",
]);

/** Requests whose response opens a session in the editor. */
const opening: ReadonlySet<string> = new Set([
  "session/new",
  "session/load",
  "session/resume",
  "session/fork",
]);

/**
 * Passes ACP between an editor and `/acp` of a gateway. When the connection is lost, it connects again, resumes the
 * editor's sessions at their cursors and sends unanswered requests again. The editor does not notice.
 */
export class AcpBridge {
  readonly #parts: BridgeParts;
  readonly #requests = new EditorRequests(KEPT_LENGTH);
  readonly #asked = new GatewayRequests();
  readonly #sessions = new Map<string, EditorSession>();
  /** Requests of the bridge itself. */
  readonly #own = new Map<string, (response: Message) => void>();
  #nextOwnId = 0;
  #initialize: Message | null = null;
  #isInitialized = false;
  #isVersion2 = false;
  #webSocket: WebSocket | null = null;
  /** Whether the editor's messages may be sent. */
  #isReady = false;
  #failure: LandlineError | null = null;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** Resolves at the end of the input. Throws why there can be no connection. */
  async run(): Promise<void> {
    const { input, signal, endsOnFailure } = this.#parts;
    const over = new AbortController();
    const ended = this.#readInput(AbortSignal.any([signal, over.signal]));
    const connected = this.#stayConnected(over.signal).catch((error: unknown) => {
      this.#fail(asLandlineError(error));
      if (endsOnFailure) over.abort();
    });
    await ended;
    over.abort();
    input.destroy();
    await this.#closeSocket();
    await connected;
    if (this.#failure) throw this.#failure;
  }

  async #readInput(signal: AbortSignal): Promise<void> {
    const { input } = this.#parts;
    const take = (line: string) => this.#fromEditor(line);
    const splitter = new LineSplitter(MESSAGE_BYTES, {
      line: take,
      // The gateway reports what is wrong with invalid lines.
      invalidLine: take,
      oversizedLine: ({ head }) => take(head),
    });
    input.on("data", (chunk: Buffer) => {
      splitter.push(chunk);
      if (this.#isCongested) input.pause();
    });
    const ended = Promise.withResolvers<void>();
    input.once("end", () => {
      splitter.end();
      ended.resolve();
    });
    input.once("error", () => ended.resolve());
    signal.addEventListener("abort", () => ended.resolve(), { once: true });
    if (signal.aborted) ended.resolve();
    await ended.promise;
  }

  get #isCongested(): boolean {
    if (this.#failure) return false;
    if (this.#isReady) return (this.#webSocket?.bufferedAmount ?? 0) > UNSENT_BYTES;
    return this.#requests.isFull;
  }

  /** Reconnects until the end of the input. Throws if it can't connect at first, or never again. */
  async #stayConnected(over: AbortSignal): Promise<void> {
    let isNeeded = true;
    for (let isFirst = true; !over.aborted; isFirst = false) {
      const webSocket = await this.#connect(isFirst, isNeeded, over);
      if (webSocket === null) return;
      if (over.aborted) {
        webSocket.terminate();
        return;
      }
      if (!isFirst) this.#parts.note("Connected to the gateway again.");
      const code = await this.#use(webSocket);
      if (over.aborted) return;
      isNeeded = code !== GOING_AWAY;
      this.#parts.note("The connection to the gateway was lost. Connecting again …");
    }
  }

  async #connect(
    isFirst: boolean,
    isNeeded: boolean,
    over: AbortSignal,
  ): Promise<WebSocket | null> {
    for (let tries = 0; !over.aborted; tries++) {
      try {
        return await this.#parts.connect(isNeeded || this.#requests.size > 0);
      } catch (error) {
        const known = asLandlineError(error);
        if (isFirst || finalErrors.has(known.code)) throw known;
      }
      const delay = backoffMs(FIRST_DELAY_MS, LONGEST_DELAY_MS, tries);
      await pause(delay, undefined, { signal: over }).catch(() => {});
    }
    return null;
  }

  /** Resolves to the close code when the connection has ended. */
  async #use(webSocket: WebSocket): Promise<number> {
    this.#webSocket = webSocket;
    const closed = once(webSocket, "close") as Promise<[number, Buffer]>;
    webSocket.on("message", (data) => this.#fromGateway((data as Buffer).toString("utf8")));
    let isAlive = true;
    webSocket.on("pong", () => (isAlive = true));
    const heart = setInterval(() => {
      if (!isAlive) webSocket.terminate();
      isAlive = false;
      webSocket.ping();
    }, PING_MS);
    this.#resume().catch((error: unknown) => {
      if (this.#webSocket !== webSocket) return;
      this.#parts.note(asLandlineError(error).message);
      webSocket.close();
    });
    const [code] = await closed;
    clearInterval(heart);
    this.#lost();
    return code;
  }

  #lost(): void {
    this.#webSocket = null;
    this.#isReady = false;
    for (const session of this.#sessions.values()) session.held = [];
    for (const settle of this.#own.values())
      settle({ error: toRpcError(new LandlineError("connection-lost")) as unknown as JsonObject });
    this.#own.clear();
    for (const cancellation of this.#asked.lost()) this.#toEditor(cancellation);
  }

  /** Brings a new connection to the state that the editor expects, and sends what was not answered. */
  async #resume(): Promise<void> {
    if (this.#isInitialized && this.#initialize) {
      const { error } = await this.#request("initialize", objectAt(this.#initialize, "params"));
      if (error) throw new LandlineError("connection-lost", { message: String(error["message"]) });
    }
    for (const [sessionId, session] of this.#sessions)
      if (session.isOpen) await this.#resumeSession(sessionId, session);
    this.#isReady = true;
    for (const request of this.#requests.all()) this.#sendRequest(request);
    this.#parts.input.resume();
  }

  async #resumeSession(sessionId: string, { cursor, last }: EditorSession): Promise<void> {
    const _meta = {
      [acpMeta.promptIds]: this.#requests.promptsOf(sessionId),
      ...(last !== null && { [acpMeta.message]: messageIn(last) }),
    };
    const { error } = await this.#request("stream/resume", { sessionId, cursor, _meta });
    const reason = objectAt(error, "data")["reason"];
    if (reason === "connection-lost") throw new LandlineError("connection-lost");
    if (error) {
      this.#parts.note(`The session ${sessionId} can't be continued: ${String(error["message"])}`);
      this.#sessions.delete(sessionId);
    }
    // The log was restored from an older copy.
    if (reason === "cursor-ahead") {
      const { error: failed, result } = await this.#request("session/resume", { sessionId, _meta });
      if (!failed) this.#opened(sessionId, cursorIn({ result: result ?? {} }));
    }
    for (const cancellation of this.#asked.resumed(sessionId)) this.#toEditor(cancellation);
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
      if (message && "id" in message) {
        const { gateway } = this.#asked.answer(message);
        if (gateway) this.#send(gateway);
      } else if (this.#isReady && line.trim() !== "") this.#sendText(line);
      return;
    }
    if (message.id === undefined || message.id === null) {
      this.#requests.noteCancel(message);
      if (this.#isReady) this.#sendText(line);
      return;
    }
    if (this.#failure) return this.#refuse(message.id, this.#failure);
    if (message.method === "initialize") this.#initialize = message;
    const { method } = message;
    const request =
      method === "session/prompt"
        ? this.#addPrompt(message, line)
        : this.#requests.add(message, line);
    const isFirst = method === "initialize" && !this.#isInitialized && this.#webSocket !== null;
    if (this.#isReady || isFirst) this.#sendRequest(request);
  }

  /** A prompt gets an id, so that it can be sent again and runs once. */
  #addPrompt(message: Message, line: string): EditorRequest {
    const given = objectAt(objectAt(message, "params"), "_meta")[acpMeta.promptId];
    if (typeof given === "string") return this.#requests.add(message, line);
    const named = withMeta(message, { [acpMeta.promptId]: randomUUID() });
    return this.#requests.add(named, JSON.stringify(named));
  }

  /** Sends a request that was not answered, perhaps again. */
  #sendRequest(request: EditorRequest): void {
    const { line, id } = request;
    if (line === null) {
      this.#requests.take(id);
      this.#refuse(id, new LandlineError("connection-lost"));
      return;
    }
    const meta = this.#metaFor(request);
    this.#noteOpening(request);
    this.#sendText(meta === null ? line : JSON.stringify(withMeta(readMessage(line) ?? {}, meta)));
    if (request.cancelled) this.#send(request.cancelled);
    this.#requests.sent(request);
  }

  #metaFor({ method, sessionId, isReplay }: EditorRequest): JsonObject | null {
    if (method === "session/new" || method === "session/list") {
      const attached = this.#parts.attached();
      return attached === null ? null : { [acpMeta.attach]: attached };
    }
    const before = sessionId === null ? undefined : this.#sessions.get(sessionId);
    // The editor has received a part of the history already.
    const isPart = isReplay && before?.isOpen === false && before.cursor > 0;
    return isPart ? { [acpMeta.cursor]: before.cursor } : null;
  }

  /** Updates of a session that is being loaded come before the response. */
  #noteOpening({ sessionId, isReplay }: EditorRequest): void {
    if (sessionId === null || !isReplay) return;
    const before = this.#sessions.get(sessionId);
    if (before?.isOpen !== false)
      this.#sessions.set(sessionId, { cursor: 0, isOpen: false, held: [], last: null });
  }

  #fromGateway(line: string): void {
    const update = readAcpUpdate(line);
    if (update) return this.#update(update, line);
    const message = readMessage(line);
    if (message === null) return;
    if (typeof message.method !== "string") this.#response(message, line);
    else if ("id" in message) {
      const { editor, gateway } = this.#asked.receive(message);
      if (editor) this.#toEditor(editor);
      if (gateway) this.#send(gateway);
    } else if (message.method === "$/cancel_request") {
      const cancellation = this.#asked.cancel(objectAt(message, "params")["requestId"]);
      if (cancellation) this.#toEditor(cancellation);
    } else this.#write(line);
  }

  #update({ sessionId, cursor, hasMore }: AcpUpdatePlace, line: string): void {
    const session = this.#sessions.get(sessionId);
    if (!session) return this.#write(line);
    session.held.push(line);
    if (hasMore) return;
    const lines = session.held;
    session.held = [];
    if (cursor !== null) session.cursor = cursor;
    for (const held of lines) this.#write(held);
    if (this.#isVersion2 && !line.includes(STATE_UPDATE)) session.last = line;
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
    if (request) this.#answered(request, message);
    if (request?.cancelled && isInterrupted(message))
      this.#toEditor({ jsonrpc: "2.0", id: message.id, result: { stopReason: "cancelled" } });
    else this.#write(line);
  }

  #answered({ method, sessionId: asked }: EditorRequest, message: Message): void {
    if (method === "initialize") {
      this.#isInitialized = message.result !== undefined;
      this.#isVersion2 = message.result?.["protocolVersion"] === 2;
    }
    // A fork is another session than the one that it was requested for.
    const sessionId = message.result?.["sessionId"] ?? asked;
    if (typeof sessionId !== "string") return;
    const cursor = cursorIn(message);
    const session = this.#sessions.get(sessionId);
    if (opening.has(method)) {
      if (message.result) this.#opened(sessionId, cursor);
      else if (session?.isOpen === false) this.#sessions.delete(sessionId);
    } else if (method === "session/close" || method === "session/delete") {
      if (message.result) this.#sessions.delete(sessionId);
    } else if (session && cursor !== null) session.cursor = Math.max(session.cursor, cursor);
  }

  #opened(sessionId: string, cursor: number | null): void {
    const before = this.#sessions.get(sessionId)?.cursor ?? 0;
    this.#sessions.set(sessionId, { cursor: cursor ?? before, isOpen: true, held: [], last: null });
  }

  /** From now on every request is answered with the error, because editors show that. */
  #fail(error: LandlineError): void {
    this.#failure = error;
    for (const { id } of this.#requests.all()) {
      this.#requests.take(id);
      this.#refuse(id, error);
    }
    this.#parts.input.resume();
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
    this.#webSocket?.send(line, () => {
      if (this.#parts.input.isPaused() && !this.#isCongested) this.#parts.input.resume();
    });
  }

  #toEditor(message: Message): void {
    this.#write(JSON.stringify(message));
  }

  #write(line: string): void {
    const { output } = this.#parts;
    if (output.write(`${line}\n`)) return;
    const webSocket = this.#webSocket;
    webSocket?.pause();
    output.once("drain", () => webSocket?.resume());
  }

  async #closeSocket(): Promise<void> {
    const webSocket = this.#webSocket;
    if (webSocket === null) return;
    const closed = once(webSocket, "close");
    const cut = setTimeout(() => webSocket.terminate(), CLOSE_MS);
    webSocket.resume();
    webSocket.close();
    await closed;
    clearTimeout(cut);
  }
}

const CLOSE_MS = 2_000;

function isInterrupted({ error }: Message): boolean {
  return objectAt(error, "data")["reason"] === "turn-interrupted";
}

/** Says whether the agent works. It does not end a message. */
const STATE_UPDATE = '"update":{"sessionUpdate":"state_update",';

/** The message that an update of version 2 adds text to. Its other chunks must have the same id. */
function messageIn(line: string): JsonObject | null {
  const { sessionUpdate: kind, messageId: id } = objectAt(
    objectAt(readMessage(line), "params"),
    "update",
  );
  return id === undefined ? null : { kind, id };
}
