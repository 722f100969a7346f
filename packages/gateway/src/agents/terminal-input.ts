import { LandlineError, type Limits } from "@landline/protocol";

/**
 * What people type, on its way to the program in a terminal: in order, and at most `signInInputBytes` that
 * wait. What the program has no room for is offered again after `signInInputRetryMs`; nothing blocks, and what
 * would go beyond the bound is refused as a whole.
 */
export class TerminalInput implements Disposable {
  readonly #limits: Pick<Limits, "signInInputBytes" | "signInInputRetryMs">;
  /** Returns how many bytes were taken. */
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

  /** Throws `rate-limited` when too much waits already. */
  type(text: string): void {
    const bytes = Buffer.from(text);
    const { signInInputBytes, signInInputRetryMs } = this.#limits;
    if (this.#bytes + bytes.length > signInInputBytes)
      throw new LandlineError("rate-limited", {
        message: `The program in the terminal does not read: ${this.#bytes} bytes wait for it already.`,
        help: "Wait until it reads, or cancel the sign-in.",
        retryAfterMs: signInInputRetryMs,
      });
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#timer === undefined) this.#offer();
  }

  /** What still waits is forgotten. */
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
