/**
 * When what was heard is put on the screen: at most once for each picture that the page draws, however much was
 * heard; soon where nothing is drawn. Each task runs once for each time that it was asked for, or for many.
 */
export class FrameClock {
  readonly #drawMs: number;
  readonly #tasks = new Set<() => void>();
  #picture: number | null = null;
  /** There is one whenever something is to be done. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(drawMs: number) {
    this.#drawMs = drawMs;
  }

  add(task: () => void): void {
    this.#tasks.add(task);
    if (this.#timer !== undefined) return;
    if (!isDrawing()) {
      this.#timer = setTimeout(this.#run, 0);
      return;
    }
    this.#picture = globalThis.requestAnimationFrame(this.#run);
    // A page that is hidden, or behind others, may draw no picture at all.
    this.#timer = setTimeout(this.#run, this.#drawMs);
  }

  close(): void {
    this.#tasks.clear();
    this.#stop();
  }

  readonly #run = (): void => {
    this.#stop();
    const tasks = [...this.#tasks];
    this.#tasks.clear();
    for (const task of tasks) task();
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#picture !== null) globalThis.cancelAnimationFrame(this.#picture);
    this.#picture = null;
  }
}

function isDrawing(): boolean {
  if (typeof globalThis.requestAnimationFrame !== "function") return false;
  return globalThis.document?.visibilityState === "visible";
}
