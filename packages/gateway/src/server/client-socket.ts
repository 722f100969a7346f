import type { Duplex } from "node:stream";
import { LandlineError } from "@landline/protocol";
import { Heartbeat } from "@landline/system/heartbeat";
import { WebSocket } from "ws";
import type { Principal } from "./auth.ts";
import { BridgeDialect } from "./bridge-v1.ts";
import { CommandThrottle } from "./command-throttle.ts";
import { LandlineDialect } from "./landline-v1.ts";
import type { ListFeed } from "./list-feed.ts";
import { FrameWriter } from "./frame-writer.ts";
import { Attachments, Lookups, type Peer } from "./peer.ts";
import { CommandDispatcher } from "./command-dispatcher.ts";
import type { Services } from "./services.ts";
import { TerminalViews } from "./terminal-views.ts";

/** Beats per `socketQuietMs`. */
export const beatsPerQuiet = 3;

/** Longer messages that are refused are not parsed for their id. */
const readForIdBytes = 64 * 1_024;

/**
 * One client of a WebSocket: reads messages, writes frames and detects a dead connection. `ws` parses frames and
 * handles control frames.
 */
export class ClientSocket {
  readonly principal: Principal;
  readonly ended: Promise<void>;
  readonly #webSocket: WebSocket;
  readonly #services: Services;
  readonly #writer: FrameWriter;
  readonly #heartbeat: Heartbeat;
  readonly #throttle: CommandThrottle;
  readonly #held: DisposableStack;
  readonly #dispatcher: Pick<CommandDispatcher<never>, "receive" | "refuse" | "ping">;
  #beats = 0;
  #quietBeats = 0;
  #cut: NodeJS.Timeout | null = null;

  constructor(
    webSocket: WebSocket,
    socket: Duplex,
    principal: Principal,
    services: Services,
    feed: ListFeed,
  ) {
    this.principal = principal;
    this.#webSocket = webSocket;
    this.#services = services;
    this.#writer = new FrameWriter(socket, services.limits.clientUnsentBytes, () => this.#isOpen);
    this.#heartbeat = new Heartbeat(webSocket, services.limits.socketPongsMissed);
    this.#held = new DisposableStack();
    services.metrics.clients.add("ws", 1);
    this.#held.defer(() => services.metrics.clients.add("ws", -1));
    this.#throttle = this.#held.use(new CommandThrottle(webSocket, services.limits));
    const attachments = this.#held.use(new Attachments(services.limits.sessionsPerSocket));
    const lookups = new Lookups(services.sessions);
    const writer = this.#writer;
    const terminals = this.#held.use(new TerminalViews(writer));
    const peer: Peer = { principal, services, writer, attachments, lookups, terminals };
    if (webSocket.protocol === "landline.v1") {
      this.#held.use(feed.subscribe(writer, principal));
      this.#dispatcher = new CommandDispatcher(peer, new LandlineDialect(peer));
    } else {
      this.#dispatcher = new CommandDispatcher(peer, new BridgeDialect(peer));
    }
    this.ended = this.#listen();
  }

  /** Sends a close frame, and terminates the socket if it is not answered in time. Idempotent. */
  close(code: number, reason: string): void {
    this.#held.dispose();
    this.#webSocket.close(code, reason);
    this.#cut ??= setTimeout(
      () => this.#webSocket.terminate(),
      this.#services.limits.socketCloseMs,
    );
  }

  /** Called `beatsPerQuiet` times in `socketQuietMs`. */
  beat(): void {
    const { said, moved } = this.#writer.takeActivity();
    if (moved) this.#heartbeat.noteActivity();
    this.#quietBeats = said ? 0 : this.#quietBeats + 1;
    // One beat early, so that the connection is never silent for longer than `socketQuietMs`.
    if (this.#quietBeats >= beatsPerQuiet - 1) this.#dispatcher.ping();
    this.#beats += 1;
    if (this.#beats % beatsPerQuiet === 0) this.#heartbeat.beat();
  }

  #listen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#webSocket.on("ping", () => this.#countPing());
    // With the default `binaryType`, each message is one buffer.
    this.#webSocket.on("message", (data, isBinary) => this.#take(data as Buffer, isBinary));
    this.#webSocket.on("error", (error) => {
      // `ws` has already closed the socket with the code for an invalid, too long or non-UTF-8 frame.
      this.#services.logger.debug("A socket failed.", { client: this.principal.clientId, error });
    });
    this.#webSocket.on("close", () => {
      if (this.#cut) clearTimeout(this.#cut);
      this.#held.dispose();
      resolve();
    });
    return promise;
  }

  /** `ws` answers pings itself. A ping costs as much as a command, so it counts as one. */
  #countPing(): void {
    if (!this.#isOpen) return;
    this.#throttle.admit();
    this.#waitUntilRead();
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (!this.#isOpen) return;
    this.#writer.join();
    const retryAfterMs = this.#throttle.admit();
    if (retryAfterMs !== null) {
      this.#services.metrics.rateLimited.add("socketCommandsPerMinute");
      const message = data.length > readForIdBytes ? null : readJson(data);
      this.#dispatcher.refuse(new LandlineError("rate-limited", { retryAfterMs }), message);
    } else if (isBinary) {
      const message = "A message must be text: one JSON object.";
      this.#dispatcher.refuse(new LandlineError("invalid-request", { message }), null);
    } else {
      const message = readJson(data);
      if (message === undefined)
        this.#dispatcher.refuse(new LandlineError("parse-error"), undefined);
      else void this.#execute(message);
    }
    this.#waitUntilRead();
  }

  async #execute(message: unknown): Promise<void> {
    this.#throttle.begin();
    await this.#dispatcher.receive(message);
    this.#throttle.end();
    this.#waitUntilRead();
  }

  /** Stops reading from a client that does not read its replies. */
  #waitUntilRead(): void {
    if (!this.#writer.isFull || !this.#isOpen) return;
    this.#throttle.hold("unsent");
    this.#writer.await(this.#reader);
  }

  readonly #reader = {
    resume: (): "done" => {
      this.#throttle.release("unsent");
      return "done";
    },
  };

  get #isOpen(): boolean {
    return this.#webSocket.readyState === WebSocket.OPEN;
  }
}

/** Returns undefined for invalid JSON, because no JSON value is undefined. */
function readJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
