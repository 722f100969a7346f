import { BackOff } from "./back-off.ts";
import type { WritableStore } from "./writable-store.ts";
import type { Connection } from "./connection.ts";

/**
 * Requests a list on every new connection while its store has listeners, and periodically over server-sent events,
 * which push no list changes. A failed request is repeated with growing delays while online.
 */
export class Poll {
  readonly #line: Connection;
  readonly #store: Pick<WritableStore<unknown>, "isWatched" | "onWatched">;
  readonly #everyMs: () => number;
  readonly #ask: () => Promise<void>;
  readonly #backOff: BackOff;
  /** Whether to send a request when the first listener is added. */
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

  /** Requests the list now, and again at the current interval, because a change without a push is expected. */
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
