import { Duplex } from "node:stream";

/** The messages of one ACP connection over HTTP, one JSON text per line, as ACP uses on stdio. */
export class HttpLines extends Duplex {
  readonly #send: (lines: readonly string[]) => Promise<void> | null;
  #isFull = false;
  #read = Promise.withResolvers<void>();

  /** `send` returns a promise if nothing more can be sent until it resolves. */
  constructor(send: (lines: readonly string[]) => Promise<void> | null) {
    super({ decodeStrings: false });
    this.#send = send;
  }

  /** Whether messages that were received wait to be read. */
  get isFull(): boolean {
    return this.#isFull && !this.destroyed;
  }

  whenRead(): Promise<void> {
    return this.#read.promise;
  }

  /** Passes on one message of the client. */
  receive(message: string): void {
    this.#isFull = !this.push(`${message}\n`, "utf8");
  }

  override _read(): void {
    this.#isFull = false;
    this.#read.resolve();
    this.#read = Promise.withResolvers();
  }

  override _write(line: string, _encoding: string, done: () => void): void {
    void this.#pass([line], done);
  }

  override _writev(chunks: { readonly chunk: string }[], done: () => void): void {
    void this.#pass(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#read.resolve();
    done(error);
  }

  async #pass(lines: readonly string[], done: () => void): Promise<void> {
    const waiting = this.#send(lines.map((line) => line.trimEnd()));
    if (waiting) await waiting;
    done();
  }
}
