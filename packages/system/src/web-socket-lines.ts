import { Duplex } from "node:stream";

/** A WebSocket of the library `ws`: the part that is used here. */
interface MessageSocket {
  readonly readyState: number;
  on(event: "message", heard: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: "close" | "error", heard: () => void): unknown;
  pause(): void;
  resume(): void;
  send(text: string, done: (error?: Error) => void): void;
  close(code: number): void;
  terminate(): void;
}

/** A stream of the WebSocket's messages, one JSON text per line, as ACP uses on stdio. Each write is a whole line. */
export class WebSocketLines extends Duplex {
  readonly #webSocket: MessageSocket;

  constructor(webSocket: MessageSocket) {
    super({ decodeStrings: false });
    this.#webSocket = webSocket;
    webSocket.on("message", (data, isBinary) => {
      // The transport has no binary messages.
      if (isBinary) return;
      const isFull = !this.push(lineOf(data as Buffer));
      if (isFull) webSocket.pause();
    });
    // What was received before is still read. Then the stream is destroyed.
    webSocket.on("close", () => {
      this.push(null);
      this.end();
    });
    webSocket.on("error", () => webSocket.terminate());
  }

  override _read(): void {
    this.#webSocket.resume();
  }

  override _write(
    line: string | Uint8Array,
    _encoding: string,
    done: (error?: Error | null) => void,
  ): void {
    const text = typeof line === "string" ? line : Buffer.from(line).toString();
    // Nobody reads it any more. The end of the stream reports the loss.
    if (this.#webSocket.readyState !== OPEN) done();
    else this.#webSocket.send(text.trimEnd(), () => done());
  }

  override _final(done: () => void): void {
    this.#webSocket.close(NORMAL_CLOSURE);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#webSocket.terminate();
    done(error);
  }
}

const OPEN = 1;
const NORMAL_CLOSURE = 1000;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;

/** In JSON, a line break is white space or invalid, so a space means the same. */
function lineOf(message: Buffer): Buffer {
  const line = Buffer.allocUnsafe(message.length + 1);
  message.copy(line);
  line[message.length] = LINE_FEED;
  for (let at = 0; at < message.length; at++)
    if (line[at] === LINE_FEED || line[at] === CARRIAGE_RETURN) line[at] = SPACE;
  return line;
}
