/**
 * Runs tasks at most once per animation frame, or from a timer if no frames are drawn. A task that is requested
 * several times runs once.
 */
export class FrameClock {
  readonly #drawMs: number;
  readonly #tasks = new Set<() => void>();
  #picture: number | null = null;
  /** Set while tasks are pending. */
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
    // A hidden page may get no animation frames.
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
