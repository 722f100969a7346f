import { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { oneLine } from "./one-line.ts";

/** A stream of the WebSocket's messages, one JSON text per line, as ACP uses on stdio. */
export class WebSocketLines extends Duplex {
  readonly #webSocket: WebSocket;

  constructor(webSocket: WebSocket) {
    super({ decodeStrings: false });
    this.#webSocket = webSocket;
    webSocket.on("message", (data, isBinary) => {
      // The transport has no binary messages.
      if (isBinary) return;
      const isFull = !this.push(`${oneLine((data as Buffer).toString())}\n`, "utf8");
      if (isFull) webSocket.pause();
    });
    webSocket.on("close", () => {
      this.push(null);
      this.destroy();
    });
    webSocket.on("error", () => this.destroy());
  }

  override _read(): void {
    this.#webSocket.resume();
  }

  override _write(line: string, _encoding: string, done: (error?: Error | null) => void): void {
    this.#webSocket.send(line.trimEnd(), done);
  }

  override _final(done: () => void): void {
    this.#webSocket.close(1000);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#webSocket.terminate();
    done(error);
  }
}
