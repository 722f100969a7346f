import { BackOff } from "./back-off.ts";
import type { Line } from "./line.ts";

/**
 * Asks for a list on every new connection. While nobody tells of changes, which is so with server-sent events,
 * it asks again and again. One that fails is tried again, with waits that grow, while the line holds.
 */
export class Poll {
  readonly #line: Line;
  readonly #everyMs: () => number;
  readonly #ask: () => Promise<void>;
  readonly #backOff: BackOff;
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(line: Line, everyMs: () => number, ask: () => Promise<void>) {
    this.#line = line;
    this.#everyMs = everyMs;
    this.#ask = ask;
    this.#backOff = new BackOff(Math.min(1_000, everyMs()), everyMs() * 4);
    line.onOnline.add(() => this.#begin());
    line.onBroken.add(() => this.close());
  }

  /** Something is about to change, of which nobody tells: it is asked at once, and again as often as is due now. */
  askNow(): void {
    const { state, via } = this.#line.connection.getSnapshot();
    if (state === "online" && via === "sse") this.#begin();
  }

  close(): void {
    this.#round += 1;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    void this.#run(++this.#round);
  }

  async #run(round: number): Promise<void> {
    let waitMs: number | null;
    try {
      await this.#ask();
      this.#backOff.reset();
      waitMs = this.#everyMs();
      if (this.#line.connection.getSnapshot().via === "websocket") waitMs = null;
    } catch {
      waitMs = this.#backOff.next();
    }
    if (round !== this.#round || waitMs === null) return;
    this.#timer = setTimeout(() => void this.#run(round), waitMs);
  }
}
