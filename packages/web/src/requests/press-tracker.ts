/** Two presses within this time and distance are a double press, whatever the browser counts. */
const doubleMs = 400;
const doublePixels = 40;

/** A pointer or key press. */
export interface Press {
  readonly at: number;
  readonly path: readonly EventTarget[];
  /** Time and path of the first press of a double press; else its own. */
  readonly firstAt: number;
  readonly firstPath: readonly EventTarget[];
  readonly isRepeat: boolean;
  /** The click of this press. A later click belongs to another press. */
  click: Event | null;
}

interface PointerPress extends Press {
  readonly x: number;
  readonly y: number;
}

interface KeyPress extends Press {
  readonly key: string;
}

/** Tracks presses on the page, including those from before a request appeared. */
export class PressTracker {
  #pointer: PointerPress | null = null;
  #key: KeyPress | null = null;
  /** The path of the first click of a series, as the browser counts; null if its press is unknown. */
  #seriesPath: readonly EventTarget[] | null = [];

  listen(): () => void {
    const ended = new AbortController();
    const options = { capture: true, signal: ended.signal };
    addEventListener("pointerdown", (event) => this.#pointerDown(event), options);
    addEventListener("pointercancel", () => (this.#pointer = null), options);
    addEventListener("keydown", (event) => this.#keyDown(event), options);
    addEventListener("click", (event) => this.#pair(event), options);
    return () => ended.abort();
  }

  /** The press of this click; null for a click by assistive technology. */
  of(click: MouseEvent): Press | null {
    const press = click.detail > 0 ? this.#pointer : this.#key;
    return press?.click === click ? press : null;
  }

  /** Whether the click continues a double click that began outside the element. */
  beganOutside(click: MouseEvent, element: Element): boolean {
    const path = click.detail > 0 ? this.#seriesPath : (this.of(click)?.firstPath ?? null);
    return path !== null && !path.includes(element);
  }

  #pointerDown(event: PointerEvent): void {
    const { clientX: x, clientY: y } = event;
    const last = this.#pointer;
    const isDouble =
      last !== null &&
      event.timeStamp - last.firstAt < doubleMs &&
      Math.hypot(x - last.x, y - last.y) < doublePixels;
    this.#pointer = { ...pressOf(event, isDouble ? last : null), isRepeat: false, x, y };
  }

  #keyDown(event: KeyboardEvent): void {
    const { key, repeat: isRepeat } = event;
    const last = this.#key?.key === key ? this.#key : null;
    // The space bar clicks once, on release, however long it was held.
    if (isRepeat && key === " " && last !== null) return;
    const isDouble = last !== null && event.timeStamp - last.firstAt < doubleMs;
    this.#key = { ...pressOf(event, isDouble ? last : null), isRepeat, key };
  }

  #pair(click: MouseEvent): void {
    const press = click.detail > 0 ? this.#pointer : this.#key;
    if (press) press.click ??= click;
    if (click.detail === 1) this.#seriesPath = this.of(click)?.firstPath ?? null;
  }
}

function pressOf(event: Event, first: Press | null) {
  const [at, path] = [event.timeStamp, event.composedPath()];
  const { firstAt, firstPath } = first ?? { firstAt: at, firstPath: path };
  return { at, path, firstAt, firstPath, click: null };
}
