import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { SessionEvent } from "@landline/protocol";
import type { WebSocket } from "ws";
import type { Receiver } from "./faulty-session.ts";

/** What can happen to one message. */
export type Mischief =
  | "none"
  | "delay"
  | "repeat"
  | "swap"
  | "drop-before"
  | "drop-after"
  | "cut"
  | "silence"
  | "refuse";

/** What a peer needs from its gateway. */
export interface Behind {
  takeMischief(): Mischief;
  later(task: () => void, waitMs: number): void;
  obey(peer: Receiver, command: SentCommand): void;
}

export interface SentCommand {
  readonly id: number;
  readonly type: string;
  readonly sessionId: string;
  readonly promptId?: string;
  readonly askId?: string;
  readonly after?: number;
  readonly [field: string]: unknown;
}

/** The other end: a socket, or a stream of server-sent events. */
abstract class Peer implements Receiver {
  readonly gateway: Behind;
  #held: object | null = null;

  constructor(gateway: Behind) {
    this.gateway = gateway;
  }

  send(frame: object): void {
    const mischief = this.gateway.takeMischief();
    if (mischief === "delay") {
      this.gateway.later(() => this.#pass(frame), 5);
      return;
    }
    if (mischief === "swap" && !this.#held) {
      this.#held = frame;
      this.gateway.later(() => this.#passHeld(), 10);
      return;
    }
    if (mischief === "silence" && "id" in frame) return;
    if (mischief === "drop-before") return this.hangUp();
    if (mischief === "cut") return this.cut(frame);
    this.#pass(frame);
    if (mischief === "repeat") this.#pass(frame);
    this.#passHeld();
    if (mischief === "drop-after") this.hangUp();
  }

  #passHeld(): void {
    const held = this.#held;
    this.#held = null;
    if (held) this.#pass(held);
  }

  #pass(frame: object): void {
    this.pass(frame);
  }

  protected abstract pass(frame: object): void;
  abstract cut(frame: object): void;
  abstract hangUp(): void;
}

export class SocketPeer extends Peer {
  readonly #socket: WebSocket;
  readonly #raw: Duplex;

  constructor(gateway: Behind, socket: WebSocket, raw: Duplex) {
    super(gateway);
    this.#socket = socket;
    this.#raw = raw;
    socket.on("error", () => {});
    socket.on("message", (data: Buffer) => {
      gateway.obey(this, JSON.parse(data.toString()) as SentCommand);
    });
  }

  protected pass(frame: object): void {
    if (this.#socket.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  /** Half of a frame, and then the end. */
  cut(frame: object): void {
    const bytes = Buffer.from(JSON.stringify(frame));
    const header = Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 255]);
    if (bytes.length < 65_536 && bytes.length > 125) this.#raw.write(header);
    this.#raw.write(bytes.subarray(0, bytes.length / 2), () => this.hangUp());
  }

  hangUp(): void {
    this.#raw.destroy();
  }
}

export class StreamPeer extends Peer {
  readonly #response: ServerResponse;

  constructor(gateway: Behind, response: ServerResponse) {
    super(gateway);
    this.#response = response;
  }

  protected pass(frame: object): void {
    this.#response.write(this.#textOf(frame));
  }

  cut(frame: object): void {
    const text = this.#textOf(frame);
    this.#response.write(text.slice(0, text.length / 2), () => this.hangUp());
  }

  hangUp(): void {
    this.#response.destroy();
  }

  #textOf(frame: object): string {
    const { events } = frame as { events: readonly SessionEvent[] };
    return events
      .map((event) => `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  }
}
