import type { Server } from "node:http";
import type { Socket } from "node:net";

const LOOKS = 2;

/**
 * Connections on which nobody has shown a token yet. One that is sent nothing for `idleMs` is dropped: whoever may
 * come in does so at once, and a spare connection costs a browser nothing.
 */
export class UnauthenticatedConnections implements Disposable {
  readonly #sent = new Map<Socket, { bytes: number; quietLooks: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(server: Server, idleMs: number) {
    server.on("connection", (socket: Socket) => {
      this.#sent.set(socket, { bytes: 0, quietLooks: 0 });
      socket.once("close", () => this.#sent.delete(socket));
    });
    this.#timer = setInterval(() => this.#look(), Math.max(1, Math.floor(idleMs / LOOKS))).unref();
  }

  /** It was authenticated: from now on it may be idle. */
  authenticated(socket: Socket): void {
    this.#sent.delete(socket);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#sent.clear();
  }

  #look(): void {
    for (const [socket, known] of this.#sent) {
      // What is sent and not what comes: bytes that trickle in keep nothing open.
      const bytes = socket.bytesWritten - socket.writableLength;
      known.quietLooks = bytes === known.bytes ? known.quietLooks + 1 : 0;
      known.bytes = bytes;
      if (known.quietLooks > LOOKS) socket.destroy();
    }
  }
}
