import { bashLimits } from "../limits.ts";

/**
 * Shows the end of a command's output while it runs, at most once per `progressMs`. The latest output is
 * always shown unless the command ends first.
 */
export class OutputProgress implements Disposable {
  readonly #show: (text: string) => void;
  #text = "";
  #timer: NodeJS.Timeout | null = null;
  #shownAt = -Infinity;

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  add(text: string): void {
    this.#text = (this.#text + text).slice(-bashLimits.shownCharacters);
    if (this.#timer !== null) return;
    const waitMs = Math.max(this.#shownAt + bashLimits.progressMs - performance.now(), 0);
    this.#timer = setTimeout(() => this.#tell(), waitMs);
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #tell(): void {
    this.#timer = null;
    this.#shownAt = performance.now();
    // The cut may have split a surrogate pair.
    this.#show(this.#text.replace(/^[\uDC00-\uDFFF]/, ""));
  }
}
