import { connect, type Socket } from "node:net";

export interface ReceivedEvent {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: string;
}

/** Reads an event stream over a plain socket, according to the specification. */
export class SseClient {
  readonly socket: Socket;
  readonly events: ReceivedEvent[] = [];
  head = "";
  ended = false;
  #text = "";
  readonly #waiting = new Set<() => void>();

  constructor(port: number, path: string, headers: Readonly<Record<string, string>>) {
    this.socket = connect({ host: "127.0.0.1", port });
    const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    this.socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
    this.socket.setEncoding("utf8");
    this.socket.on("data", (piece: string) => this.#take(piece));
    this.socket.on("close", () => {
      this.ended = true;
      this.#tell();
    });
    this.socket.on("error", () => {});
  }

  /** Events of the log. */
  get numbers(): number[] {
    return this.events.flatMap(({ id, event }) =>
      id === null || event === "gap" ? [] : [Number(id)],
    );
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.ended) throw new Error(`The stream ended before: ${this.head}${this.#text}`);
      await this.#change();
    }
  }

  async untilEnd(): Promise<void> {
    while (!this.ended) await this.#change();
  }

  close(): void {
    this.socket.destroy();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #tell(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  #take(piece: string): void {
    this.#text += piece;
    if (this.head === "") {
      const end = this.#text.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.head = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 4);
    }
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const block of blocks) this.#event(block);
    this.#tell();
  }

  #event(block: string): void {
    const fields = new Map(
      block.split(/\r\n|\n|\r/).map((line) => {
        const colon = line.indexOf(": ");
        return [line.slice(0, colon), line.slice(colon + 2)] as const;
      }),
    );
    const data = fields.get("data");
    if (data === undefined) return;
    this.events.push({ id: fields.get("id") ?? null, event: fields.get("event") ?? null, data });
  }
}
