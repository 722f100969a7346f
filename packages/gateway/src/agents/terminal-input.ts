import { LandlineError, type Limits } from "@landline/protocol";

/**
 * Queues what people type into a terminal, in order and up to `signInInputBytes`. Bytes that the program does not
 * accept are retried after `signInInputRetryMs`. Writes never block. Input that exceeds the limit is refused as a
 * whole.
 */
export class TerminalInput implements Disposable {
  readonly #limits: Pick<Limits, "signInInputBytes" | "signInInputRetryMs">;
  /** Returns the number of bytes written. */
  readonly #write: (bytes: Buffer) => number;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    limits: Pick<Limits, "signInInputBytes" | "signInInputRetryMs">,
    write: (bytes: Buffer) => number,
  ) {
    this.#limits = limits;
    this.#write = write;
  }

  /** Throws `rate-limited` if the queue is full. */
  type(text: string): void {
    const bytes = Buffer.from(text);
    const { signInInputBytes, signInInputRetryMs } = this.#limits;
    if (this.#bytes + bytes.length > signInInputBytes)
      throw new LandlineError("rate-limited", {
        message: `The program in the terminal does not read its input: ${this.#bytes} bytes are already waiting.`,
        help: "Wait until it reads, or cancel the sign-in.",
        retryAfterMs: signInInputRetryMs,
      });
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#timer === undefined) this.#offer();
  }

  /** Discards the queue. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#bytes = 0;
  }

  #offer(): void {
    this.#timer = undefined;
    let all = Buffer.concat(this.#waiting);
    while (all.length > 0) {
      const taken = this.#write(all);
      if (taken === 0) break;
      all = all.subarray(taken);
    }
    this.#waiting = all.length === 0 ? [] : [all];
    this.#bytes = all.length;
    if (all.length > 0)
      this.#timer = setTimeout(() => this.#offer(), this.#limits.signInInputRetryMs);
  }
}
