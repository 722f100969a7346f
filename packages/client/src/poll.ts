import { BackOff } from "./back-off.ts";
import type { Line } from "./line.ts";

/**
 * Asks for a list on every new connection. While nobody tells of changes, which is so with server-sent events,
 * it asks again and again. One that fails is tried again, with waits that grow, while the line holds.
 */
export class Poll {
  readonly #line: Line;
  readonly #everyMs: number;
  readonly #ask: () => Promise<void>;
  readonly #backOff: BackOff;
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(line: Line, everyMs: number, ask: () => Promise<void>) {
    this.#line = line;
    this.#everyMs = everyMs;
    this.#ask = ask;
    this.#backOff = new BackOff(Math.min(1_000, everyMs), everyMs * 4);
    line.onOnline.add(() => void this.#run(++this.#round));
    line.onBroken.add(() => this.close());
  }

  close(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
  }

  async #run(round: number): Promise<void> {
    let waitMs: number | null = this.#everyMs;
    try {
      await this.#ask();
      this.#backOff.reset();
      if (this.#line.connection.getSnapshot().via === "websocket") waitMs = null;
    } catch {
      waitMs = this.#backOff.next();
    }
    if (round !== this.#round || waitMs === null) return;
    this.#timer = setTimeout(() => void this.#run(round), waitMs);
  }
}
