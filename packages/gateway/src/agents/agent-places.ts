import type { PlaceWatch, SetAside } from "@landline/sandbox";

/** Protected places that a confined agent creates. */
export class AgentPlaces {
  readonly #watch: PlaceWatch;
  readonly #ended: (created: SetAside) => void;
  #left: SetAside | null = null;
  #hasEnded = false;

  /** `ended` receives what the agent created since the last `setAside`, when the agent has ended. */
  constructor(watch: PlaceWatch, ended: (created: SetAside) => void) {
    this.#watch = watch;
    this.#ended = ended;
  }

  /**
   * Renames what the agent created since the last call; null if nothing. After the end, returns once what `end`
   * found.
   */
  async setAside(): Promise<SetAside | null> {
    if (!this.#hasEnded) return this.#watch.setAside();
    const left = this.#left;
    this.#left = null;
    return left;
  }

  /** Call when all processes of the agent have ended. */
  async end(): Promise<void> {
    this.#left = await this.#watch.setAside();
    this.#hasEnded = true;
    this.#watch[Symbol.dispose]();
    if (this.#left) this.#ended(this.#left);
  }
}
