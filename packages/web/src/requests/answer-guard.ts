import { watchLayout } from "./watch-layout.ts";
import type { PressTracker } from "./press-tracker.ts";

/** After a request appeared or moved, a press within this time may have been meant for the previous content. */
export const guardMs = 400;

/** Marks every element that answers a request, so that the guard can see it move. */
const answers = "[data-answer]";

/** After a request has moved, keys and assistive technology can answer it, but pointers can't. */
export type AnswerState = "appearing" | "moved" | "ready";

/**
 * Decides whether an event answers the request that is shown or was meant for something else. Every answer passes
 * through it.
 */
export class AnswerGuard {
  readonly presses: PressTracker;
  #element: Element | null = null;
  /** When the first frame showed it; infinite before that. */
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

  /** For display only: an event is judged by its own timestamp. */
  readonly state = (): AnswerState => this.#state;

  /** Watches the element that contains the answer buttons. One at a time. */
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

  /** Whether the event answers the request. Keys are judged only by when it appeared, since they have no position. */
  accepts(event: MouseEvent | KeyboardEvent): boolean {
    const element = this.#element;
    if (element === null) return false;
    this.#checkPlaces();
    if ("key" in event) return !event.repeat && this.#isShownAt(event.timeStamp);
    const press = this.presses.of(event);
    const isInside = press?.path.includes(element) === true;
    if (event.detail === 0) {
      // A click without a press inside comes from assistive technology.
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

/** The screen positions of the elements that answer. */
function answerPositions(element: Element): string {
  const view = globalThis.visualViewport;
  const boxes = [...element.querySelectorAll(answers)].map((answer) => {
    const { left, top, width, height } = answer.getBoundingClientRect();
    return [left, top, width, height].map((length) => Math.round(length));
  });
  return JSON.stringify([view?.offsetLeft, view?.offsetTop, view?.scale, boxes]);
}
