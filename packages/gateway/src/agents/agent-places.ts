import type { PlaceWatch, SetAside } from "@landline/sandbox";

/** Protected places that a confined agent creates. */
export class AgentPlaces {
  readonly #watch: PlaceWatch;
  readonly #ended: (created: SetAside) => void;
  #left: SetAside | null = null;
  #hasEnded = false;

  /** `ended` is told what the agent created and nobody had looked for when it ended. */
  constructor(watch: PlaceWatch, ended: (created: SetAside) => void) {
    this.#watch = watch;
    this.#ended = ended;
  }

  /** Renames what it created since the last call; null when that is nothing. After its end, what `end` found, once. */
  async setAside(): Promise<SetAside | null> {
    if (!this.#hasEnded) return this.#watch.setAside();
    const left = this.#left;
    this.#left = null;
    return left;
  }

  /** Nothing is left of the agent. */
  async end(): Promise<void> {
    this.#left = await this.#watch.setAside();
    this.#hasEnded = true;
    this.#watch[Symbol.dispose]();
    if (this.#left) this.#ended(this.#left);
  }
}
