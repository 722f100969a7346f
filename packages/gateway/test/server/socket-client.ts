import { once } from "node:events";
import type { WebSocket } from "ws";

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

/** Keeps every frame, so that nothing is missed between two lines of a test. */
export class TestClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly opened: Promise<unknown>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #count = 0;
  #hasLeft = false;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = once(socket, "open");
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on("error", () => {});
    socket.on("message", (data: Buffer) => this.frames.push(JSON.parse(data.toString()) as Frame));
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  /** The reply to the command. */
  ask(type: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Frame> {
    this.#count += 1;
    const id = this.#count;
    this.send({ id, type, ...fields });
    return this.until((frame) => frame.type === "reply" && frame["id"] === id);
  }

  /** Cuts the connection. Pending waits never resolve. */
  leave(): void {
    this.#hasLeft = true;
    this.socket.terminate();
  }

  /** The first matching frame, from the beginning. Fails if the gateway closes the socket before it. */
  async until(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    for (let at = 0; ; at++) {
      while (at >= this.frames.length) await this.nextFrame();
      const frame = this.frames[at]!;
      if (isWanted(frame)) return frame;
    }
  }

  /** Resolves with the next frame. Fails when the gateway closes the socket before it. */
  async nextFrame(): Promise<void> {
    await Promise.race([once(this.socket, "message"), this.#failWhenClosed()]);
  }

  async #failWhenClosed(): Promise<never> {
    const { code, reason } = await this.closed;
    if (this.#hasLeft) return new Promise(() => {});
    const last = JSON.stringify(this.frames.at(-1))?.slice(0, 500);
    throw new Error(`The socket was closed (${code}, "${reason}"). The last frame: ${last}`);
  }

  /** Resolves when the event with that number was received. */
  reach(sessionId: string, seq: number): Promise<Frame> {
    return this.until((frame) => eventsIn(frame, sessionId).some((event) => event.seq === seq));
  }

  events(sessionId: string): readonly ReceivedEvent[] {
    return this.frames.flatMap((frame) => eventsIn(frame, sessionId));
  }

  types(): readonly string[] {
    return this.frames.map(({ type }) => type);
  }
}

export interface ReceivedEvent {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly from?: number;
}

function eventsIn(frame: Frame, sessionId: string): readonly ReceivedEvent[] {
  const isOurs = frame.type === "events" && frame["sessionId"] === sessionId;
  return isOurs ? (frame["events"] as readonly ReceivedEvent[]) : [];
}
