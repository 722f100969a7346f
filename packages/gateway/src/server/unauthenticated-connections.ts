import type { Server } from "node:http";
import type { Socket } from "node:net";

const LOOKS = 2;

/**
 * Connections without a valid token so far. A connection to which nothing was sent for `idleMs` is dropped: clients
 * authenticate at once, and a dropped spare connection costs a browser nothing.
 */
export class UnauthenticatedConnections implements Disposable {
  readonly #sent = new Map<Socket, { bytes: number; quietLooks: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(server: Server, event: "connection" | "secureConnection", idleMs: number) {
    server.on(event, (socket: Socket) => {
      this.#sent.set(socket, { bytes: 0, quietLooks: 0 });
      socket.once("close", () => this.#sent.delete(socket));
    });
    this.#timer = setInterval(() => this.#look(), Math.max(1, Math.floor(idleMs / LOOKS))).unref();
  }

  /** Marks the connection as authenticated, so that it may be idle. */
  authenticated(socket: Socket): void {
    this.#sent.delete(socket);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#sent.clear();
  }

  #look(): void {
    for (const [socket, known] of this.#sent) {
      // Count sent bytes, not received ones: a slow trickle of input must not keep a connection open.
      const bytes = socket.bytesWritten - socket.writableLength;
      known.quietLooks = bytes === known.bytes ? known.quietLooks + 1 : 0;
      known.bytes = bytes;
      if (known.quietLooks > LOOKS) socket.destroy();
    }
  }
}
