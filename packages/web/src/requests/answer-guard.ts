import { watchLayout } from "./watch-layout.ts";
import type { PressTracker } from "./press-tracker.ts";

/** How long after an ask appeared or moved a press may still have been meant for what was there before. */
export const guardMs = 400;

/** What answers an ask carries this attribute, so that the guard sees when it moves. */
const answers = "[data-answer]";

/** After an ask has moved, keys and assistive technology answer it, and pointers do not. */
export type AnswerState = "appearing" | "moved" | "ready";

/**
 * Decides whether an event is an answer to the ask that is shown, or was meant for something else. Everything that
 * answers an ask goes through it.
 */
export class AnswerGuard {
  readonly presses: PressTracker;
  #element: Element | null = null;
  /** When the first frame showed it; never, before that. */
  #appearedAt = Number.POSITIVE_INFINITY;
  #movedAt = Number.NEGATIVE_INFINITY;
  #places = "";
  #state: AnswerState = "appearing";
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #subscribers = new Set<() => void>();

  constructor(presses: PressTracker) {
    this.presses = presses;
  }

  readonly subscribe = (subscriber: () => void): (() => void) => {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  };

  /** For display. An event is judged by its own time, not by this. */
  readonly state = (): AnswerState => this.#state;

  /** The element that holds what answers the ask. One at a time. */
  watch(element: Element): () => void {
    let frame = 0;
    const appear = () => {
      this.#appearedAt = Number.POSITIVE_INFINITY;
      this.#update();
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        this.#appearedAt = performance.now();
        this.#places = answerPositions(element);
        this.#update();
      });
    };
    const stopWatching = watchLayout(element, answers, () => this.#checkPlaces());
    document.addEventListener("visibilitychange", appear);
    this.#element = element;
    appear();
    return () => {
      stopWatching();
      document.removeEventListener("visibilitychange", appear);
      cancelAnimationFrame(frame);
      this.#element = null;
      this.#appearedAt = Number.POSITIVE_INFINITY;
      this.#update();
    };
  }

  /** Whether the event answers the ask. Keys are judged by when the ask appeared: nothing moves under a key. */
  accepts(event: MouseEvent | KeyboardEvent): boolean {
    const element = this.#element;
    if (element === null) return false;
    this.#checkPlaces();
    if ("key" in event) return !event.repeat && this.#isShownAt(event.timeStamp);
    const press = this.presses.of(event);
    const isInside = press?.path.includes(element) === true;
    if (event.detail === 0) {
      // Without a key inside it is a click by assistive technology, which comes at once.
      if (!isInside) return this.#isShownAt(event.timeStamp);
      if (press.isRepeat) return false;
    } else if (press !== null && !isInside) return false;
    if (this.presses.beganOutside(event, element)) return false;
    const at = press?.at ?? event.timeStamp;
    return this.#isShownAt(at) && (event.detail === 0 || at - this.#movedAt >= guardMs);
  }

  #isShownAt(at: number): boolean {
    return at - this.#appearedAt >= guardMs;
  }

  #checkPlaces(): void {
    if (this.#element === null || !Number.isFinite(this.#appearedAt)) return;
    const places = answerPositions(this.#element);
    if (places === this.#places) return;
    this.#places = places;
    this.#movedAt = performance.now();
    this.#update();
  }

  #update(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    const appearsIn = this.#appearedAt + guardMs - now;
    const restsIn = this.#movedAt + guardMs - now;
    const state = appearsIn > 0 ? "appearing" : restsIn > 0 ? "moved" : "ready";
    const left = state === "appearing" ? appearsIn : restsIn;
    if (left > 0 && Number.isFinite(left))
      this.#timer = setTimeout(() => this.#update(), Math.ceil(left));
    if (state === this.#state) return;
    this.#state = state;
    for (const subscriber of this.#subscribers) subscriber();
  }
}

/** Where on the screen the things are that answer. */
function answerPositions(element: Element): string {
  const view = globalThis.visualViewport;
  const boxes = [...element.querySelectorAll(answers)].map((answer) => {
    const { left, top, width, height } = answer.getBoundingClientRect();
    return [left, top, width, height].map((length) => Math.round(length));
  });
  return JSON.stringify([view?.offsetLeft, view?.offsetTop, view?.scale, boxes]);
}
