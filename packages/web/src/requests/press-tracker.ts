/** Within this time and distance, two presses are a double press whatever the browser calls them. */
const doubleMs = 400;
const doublePixels = 40;

/** A pointer or a key that went down. */
export interface Press {
  readonly at: number;
  readonly path: readonly EventTarget[];
  /** Those of the first press of a double press; its own otherwise. */
  readonly firstAt: number;
  readonly firstPath: readonly EventTarget[];
  readonly isRepeat: boolean;
  /** The click that it became. A later click is not of this press. */
  click: Event | null;
}

interface PointerPress extends Press {
  readonly x: number;
  readonly y: number;
}

interface KeyPress extends Press {
  readonly key: string;
}

/** The presses on the page, including those from before an ask appeared. */
export class PressTracker {
  #pointer: PointerPress | null = null;
  #key: KeyPress | null = null;
  /** Where a series of clicks began, as the browser counts them; null when no press is known for it. */
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

  /** The press that became this click; null when there is none, as for a click by assistive technology. */
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
    // The space bar clicks once, when it goes up, however long it was down.
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
