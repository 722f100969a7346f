import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { emptyView, fold, LandlineError, toProblem, errorRow } from "@landline/protocol";
import { WebSocketServer } from "ws";
import {
  SocketPeer,
  StreamPeer,
  type Behind,
  type Mischief,
  type SentCommand,
} from "./faulty-peer.ts";
import { FaultySession, type Attached, type Receiver } from "./faulty-session.ts";

/**
 * A gateway on loopback with a correct log and a faulty network: each message may be late, duplicated, reordered, cut,
 * or the last one, until the faults are used up.
 */
export class FaultyGateway implements AsyncDisposable, Behind {
  readonly sessions = new Map<string, FaultySession>();
  readonly commands: SentCommand[] = [];
  /** Requested sockets, accepted or not. */
  upgrades = 0;
  /** Streams that were opened. */
  streams = 0;
  /** HTTP requests, as method and path. */
  readonly requests: string[] = [];
  /** The answer to every request, instead of the real one. */
  refusal: LandlineError | null = null;
  takesSockets = true;
  isMute = false;
  answersHealth = true;
  /** A prompt starts its turn immediately, so it can't be withdrawn. */
  startsAtOnce = false;
  /** The number of events that each stream delivers; below zero, not even its first bytes. */
  streamedMost = Number.POSITIVE_INFINITY;
  /** Sessions whose logs can't be streamed. */
  readonly unreadable = new Set<string>();
  snapshotAfter = Number.POSITIVE_INFINITY;
  pageMost = 1_000;
  people: Readonly<Record<string, string>> = { me: "Laptop" };
  /** `me` is answered after this delay, with the state before it. */
  beforeMe: Promise<void> = Promise.resolve();
  readonly #server: Server;
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: () => "landline.v1",
  });
  readonly #deleted = new Set<string>();
  readonly #raw = new Set<Duplex>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #mischief: Mischief[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on("connection", (socket) => {
      this.#raw.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#raw.delete(socket));
    });
    this.#server.on("upgrade", (request, socket, head) => this.#welcome(request, socket, head));
  }

  static async listen(mischief: readonly Mischief[] = []): Promise<FaultyGateway> {
    const gateway = new FaultyGateway();
    gateway.#mischief = [...mischief];
    gateway.#server.listen(0, "127.0.0.1");
    await once(gateway.#server, "listening");
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#raw.size;
  }

  open(id: string): FaultySession {
    const session = new FaultySession(id);
    this.sessions.set(id, session);
    return session;
  }

  takeMischief(): Mischief {
    return this.#mischief.shift() ?? "none";
  }

  plot(...mischief: readonly Mischief[]): void {
    this.#mischief.push(...mischief);
  }

  later(task: () => void, waitMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, waitMs);
    this.#timers.add(timer);
  }

  /** Every connection breaks. */
  hangUp(): void {
    for (const session of this.sessions.values()) session.attached.clear();
    for (const socket of this.#raw) socket.destroy();
  }

  tellAll(frame: object): void {
    for (const socket of this.#webSockets.clients) socket.send(JSON.stringify(frame));
  }

  obey(peer: Receiver, command: SentCommand): void {
    this.commands.push(command);
    if (this.isMute) return;
    if (this.takeMischief() === "refuse") {
      const error = toProblem(new LandlineError("rate-limited", { retryAfterMs: 5 }));
      peer.send({ type: "reply", id: command.id, error });
      return;
    }
    try {
      const result = this.carryOut(command, peer);
      peer.send({ type: "reply", id: command.id, result });
    } catch (error) {
      const problem = toProblem(error as LandlineError);
      peer.send({ type: "reply", id: command.id, error: problem });
    }
  }

  /** Throws what is wrong with it. */
  carryOut(command: SentCommand, peer: Receiver | null): object {
    const { type, sessionId } = command;
    if (/sign-(in|out)$/.test(type) || type.startsWith("terminal-")) return {};
    if (type === "open") return this.open(`session-${this.sessions.size + 1}`).summary;
    const session = this.sessions.get(sessionId);
    if (type === "detach") {
      if (peer) session?.attached.delete(peer);
      return {};
    }
    if (!session)
      throw new LandlineError(
        this.#deleted.has(sessionId) ? "session-expired" : "session-not-found",
      );
    switch (type) {
      case "attach":
        return peer ? this.#attach(session, command, peer) : {};
      case "prompt":
        return this.#prompt(session, command);
      case "withdraw-prompt":
        if (this.startsAtOnce || !session.prompts.includes(command.promptId ?? ""))
          throw new LandlineError("prompt-not-found");
        return {};
      case "answer": {
        const askId = command.askId ?? "";
        const outcome = session.answers.get(askId);
        if (outcome !== undefined)
          throw new LandlineError("ask-already-settled", { data: { outcome } });
        session.answers.set(askId, inShort(command["outcome"] as object));
        return {};
      }
      case "rename":
        session.title = command["title"] as string | null;
        session.append({ kind: "session-changed", title: session.title, by: "somebody" });
        return {};
      case "delete":
        this.sessions.delete(sessionId);
        this.#deleted.add(sessionId);
        this.tellAll({ type: "sessions", sessions: [], gone: [sessionId] });
        return {};
      default:
        return {};
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const closed = once(this.#server, "close");
    this.#server.close();
    this.hangUp();
    await closed;
  }

  #attach(session: FaultySession, { after = 0 }: SentCommand, peer: Receiver): object {
    const { id: sessionId, log } = session;
    const head = log.length;
    if (after > head) {
      peer.send({ type: "gap", sessionId, head });
      throw new LandlineError("cursor-ahead", { data: { sessionId, head } });
    }
    const isSnapshot = head - after > this.snapshotAfter;
    const at = isSnapshot ? Math.floor((after + head + 1) / 2) : after;
    const view = isSnapshot ? { view: fold(emptyView(), log.slice(0, at)) } : {};
    const from = isSnapshot ? "snapshot" : "tail";
    peer.send({ type: "attached", sessionId, head, from, ...view });
    const follower: Attached = { peer, cursor: at };
    session.attached.set(peer, follower);
    session.push(follower);
    return { sessionId, head, from };
  }

  #prompt(session: FaultySession, { promptId = "", content }: SentCommand): object {
    if (promptId.startsWith("bad")) throw new LandlineError("invalid-params");
    if (session.prompts.includes(promptId)) return { promptId };
    session.prompts.push(promptId);
    session.append({ kind: "prompt-queued", promptId, content, by: "somebody" });
    if (this.startsAtOnce) session.playTurn(promptId);
    else this.later(() => session.playTurn(promptId), 0);
    return { promptId };
  }

  #welcome(request: IncomingMessage, raw: Duplex, head: Buffer): void {
    this.upgrades += 1;
    if (!this.takesSockets || this.refusal) {
      raw.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
      return;
    }
    this.#webSockets.handleUpgrade(request, raw, head, (socket) => {
      void new SocketPeer(this, socket, raw);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (this.isMute) return;
    try {
      if (this.refusal) throw this.refusal;
      if (request.headers.accept === "text/event-stream") {
        this.#stream(url, response);
        return;
      }
      const mischief = request.method === "GET" ? "none" : this.takeMischief();
      if (mischief === "drop-before" || mischief === "cut") return void response.destroy();
      if (mischief === "refuse") throw new LandlineError("rate-limited", { retryAfterMs: 5 });
      const result = await this.#resultOf(request, url);
      if (mischief === "drop-after") response.destroy();
      else if (mischief === "delay") this.later(() => answer(200, result), 5);
      else if (mischief !== "silence") answer(200, result);
    } catch (error) {
      const problem = error as LandlineError;
      answer(errorRow(problem.code).http, toProblem(problem));
    }
  }

  async #resultOf(request: IncomingMessage, url: URL): Promise<unknown> {
    const [, , place, sessionId = "", part, askId] = url.pathname.split("/");
    if (place === "health" && this.answersHealth) return { status: "ok" };
    if (place === "agents") return { agents: [] };
    if (place === "me") {
      const me = { clientId: "me", role: "control", people: this.people };
      await this.beforeMe;
      return me;
    }
    if (place === "sessions" && sessionId === "") {
      const all = [...this.sessions.values()].map(({ summary }) => summary).toReversed();
      const from = Number(url.searchParams.get("cursor") ?? 0);
      const end = from + Number(url.searchParams.get("limit"));
      const nextCursor = end < all.length ? String(end) : null;
      return { sessions: all.slice(from, end), nextCursor };
    }
    const session = this.sessions.get(sessionId);
    if (!session) throw new LandlineError("session-not-found");
    if (part === "events") return this.#page(session, url);
    if (request.method === "GET") {
      const view = fold(emptyView(), session.log);
      return { ...session.summary, view };
    }
    const body = await bodyOf(request);
    const type = part === "prompts" ? "prompt" : part === "asks" ? "answer" : "other";
    const command = { id: 0, ...body, type, sessionId, askId } as unknown as SentCommand;
    this.commands.push(command);
    return this.carryOut(command, null);
  }

  #page({ log }: FaultySession, { searchParams }: URL): object {
    const limit = Math.min(Number(searchParams.get("limit") ?? 1_000), this.pageMost);
    const before = searchParams.get("before");
    const after = Number(searchParams.get("after") ?? 0);
    const end = Math.max(0, Number(before) - 1);
    const events =
      before === null ? log.slice(after, after + limit) : log.slice(Math.max(0, end - limit), end);
    return { events, head: log.length };
  }

  #stream(url: URL, response: ServerResponse): void {
    const session = this.sessions.get(url.pathname.split("/")[3] ?? "");
    if (!session) throw new LandlineError("session-not-found");
    this.streams += 1;
    if (this.streamedMost < 0) return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 1\n\n");
    if (this.unreadable.has(session.id)) {
      const problem = toProblem(new LandlineError("internal-error"));
      response.end(`event: problem\ndata: ${JSON.stringify(problem)}\n\n`);
      return;
    }
    response.on("error", () => {});
    const peer = new StreamPeer(this, response);
    const cursor = Number(url.searchParams.get("after"));
    const follower: Attached = { peer, cursor };
    if (Number.isFinite(this.streamedMost)) {
      const events = session.log.slice(cursor, cursor + this.streamedMost);
      peer.send({ type: "events", sessionId: session.id, events });
      return;
    }
    session.attached.set(peer, follower);
    response.on("close", () => session.attached.delete(peer));
    session.push(follower);
  }
}

/** As later answers see it: without the content. */
function inShort(outcome: object): object {
  return "action" in outcome ? { action: outcome.action } : outcome;
}

async function bodyOf(request: IncomingMessage): Promise<object> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text === "" ? {} : (JSON.parse(text) as object);
}
