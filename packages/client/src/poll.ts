import { BackOff } from "./back-off.ts";
import type { WritableStore } from "./writable-store.ts";
import type { Connection } from "./connection.ts";

/**
 * Asks for a list on every new connection, while somebody listens to its store. Server-sent events tell of no changes:
 * with these it asks again and again. A request that fails is repeated, with growing waits, while the line holds.
 */
export class Poll {
  readonly #line: Connection;
  readonly #store: Pick<WritableStore<unknown>, "isWatched" | "onWatched">;
  readonly #everyMs: () => number;
  readonly #ask: () => Promise<void>;
  readonly #backOff: BackOff;
  /** Whether it is to be asked as soon as somebody listens. */
  #isDue = false;
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    line: Connection,
    store: Pick<WritableStore<unknown>, "isWatched" | "onWatched">,
    everyMs: () => number,
    ask: () => Promise<void>,
  ) {
    this.#line = line;
    this.#store = store;
    this.#everyMs = everyMs;
    this.#ask = ask;
    this.#backOff = new BackOff(Math.min(1_000, everyMs()), everyMs() * 4);
    line.onOnline.add(() => this.#begin());
    line.onBroken.add(() => this.close());
    store.onWatched = () => this.#askIfDue();
  }

  /** Something is about to change, of which nobody tells: it is asked at once, and again as often as is due now. */
  askNow(): void {
    const { state, via } = this.#line.connection.getSnapshot();
    if (state === "online" && via === "sse") this.#begin();
  }

  close(): void {
    this.#round += 1;
    this.#isDue = false;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.#isDue = true;
    this.#askIfDue();
  }

  #askIfDue(): void {
    if (!this.#isDue || !this.#store.isWatched) return;
    this.#isDue = false;
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
    this.#timer = setTimeout(() => this.#begin(), waitMs);
  }
}
