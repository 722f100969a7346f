/** A WebSocket of the library `ws`: the part that is used here. */
interface PingedSocket {
  readonly readyState: number;
  readonly isPaused: boolean;
  on(event: "pong" | "ping" | "message", heard: () => void): unknown;
  ping(): void;
  terminate(): void;
}

const OPEN = 1;

/** Finds out that the other end of a WebSocket is gone: it receives nothing and answers no ping. */
export class Heartbeat {
  readonly #webSocket: PingedSocket;
  readonly #most: number;
  #isAlive = true;
  #missed = 0;

  /** `most`: the number of unanswered pings in a row after which the connection is terminated. */
  constructor(webSocket: PingedSocket, most: number) {
    this.#webSocket = webSocket;
    this.#most = most;
    for (const sign of ["pong", "ping", "message"] as const)
      webSocket.on(sign, () => this.noteActivity());
  }

  /** The other end is there: it sent something, or received something that waited. */
  noteActivity(): void {
    this.#isAlive = true;
  }

  /** Called at regular intervals. Sends a ping. */
  beat(): void {
    if (this.#webSocket.readyState !== OPEN) return;
    // While the socket is paused, pongs are not read.
    this.#missed = this.#isAlive || this.#webSocket.isPaused ? 0 : this.#missed + 1;
    this.#isAlive = false;
    if (this.#missed >= this.#most) this.#webSocket.terminate();
    else this.#webSocket.ping();
  }
}
