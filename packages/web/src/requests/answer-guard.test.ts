// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AnswerGuard, guardMs } from "./answer-guard.ts";
import { PressTracker } from "./press-tracker.ts";

const frameMs = 16;
let presses = new PressTracker();
let stopListening = () => {};
let guard = new AnswerGuard(presses);

beforeEach(() => {
  vi.useFakeTimers();
  presses = new PressTracker();
  stopListening = presses.listen();
  guard = new AnswerGuard(presses);
});
afterEach(() => {
  stopListening();
  document.body.replaceChildren();
  vi.useRealTimers();
});

/** A request with a button that answers it. */
function ask() {
  const element = document.createElement("div");
  const button = document.createElement("button");
  button.dataset["answer"] = "wait";
  let top = 0;
  button.getBoundingClientRect = () => new DOMRect(0, top, 80, 30);
  element.append(button);
  document.body.append(element);
  return { element, button, move: (by: number) => (top += by) };
}

/** At one position, unless given. */
function down(target: Element, at: number, type = "pointerdown", more: object = {}) {
  const event = new Event(type, { bubbles: true });
  target.dispatchEvent(eventAt(event, at, { clientX: 10, clientY: 10, key: "Enter", ...more }));
}

function eventAt<Made extends Event>(event: Made, at: number, more: object = {}): Made {
  Object.defineProperty(event, "timeStamp", { value: at });
  return Object.assign(event, more);
}

/** Whether a click there answers. */
function click(target: Element, at: number, detail = 1): boolean {
  let isAnswer = false;
  const judge = (event: Event) => {
    isAnswer = event instanceof MouseEvent && guard.accepts(event);
  };
  target.addEventListener("click", judge, { once: true });
  target.dispatchEvent(eventAt(new MouseEvent("click", { bubbles: true, detail }), at));
  return isAnswer;
}

const press = (target: Element, at: number, detail = 1) => {
  down(target, at);
  return click(target, at + 50, detail);
};
const key = (at: number, more: object = {}) =>
  guard.accepts(eventAt(new KeyboardEvent("keydown", { key: "a", ...more }), at));

/** Renders a frame that shows the element. */
function shown(element: Element) {
  const stop = guard.watch(element);
  vi.advanceTimersByTime(frameMs);
  return { stop, at: performance.now() };
}

describe("just after a request appears", () => {
  test("nothing answers, and then everything does", () => {
    const { element, button } = ask();
    const { at } = shown(element);
    expect(press(button, at + guardMs - 1)).toBe(false);
    expect(key(at + guardMs - 1)).toBe(false);
    expect(click(button, at + guardMs - 1, 0)).toBe(false);
    expect(press(button, at + guardMs)).toBe(true);
    expect(key(at + guardMs)).toBe(true);
    expect(click(button, at + guardMs, 0)).toBe(true);
  });

  test("the wait starts with the first frame that shows the request, however late that is", () => {
    const { element, button } = ask();
    guard.watch(element);
    const at = performance.now() + 10 * guardMs;
    expect(press(button, at)).toBe(false);
    expect(key(at)).toBe(false);
  });

  test("subscribers are called when the request is ready and when it has moved", () => {
    const { element, move } = ask();
    const states: string[] = [guard.state()];
    guard.subscribe(() => states.push(guard.state()));
    shown(element);
    vi.advanceTimersByTime(guardMs);
    move(20);
    document.dispatchEvent(new Event("scroll"));
    vi.advanceTimersByTime(guardMs);
    expect(states).toEqual(["appearing", "ready", "moved", "ready"]);
  });

  test("the wait starts again when the page becomes visible again", () => {
    const { element } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(key(performance.now())).toBe(false);
    vi.advanceTimersByTime(frameMs + guardMs);
    expect(key(performance.now())).toBe(true);
  });
});

describe("a request that moves under the pointer", () => {
  test("is not answered by a press that may have been meant for the previous content", () => {
    const { element, button, move } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    move(20);
    expect(press(button, performance.now())).toBe(false);
    const movedAt = performance.now();
    vi.advanceTimersByTime(guardMs);
    expect(press(button, movedAt + guardMs - 1)).toBe(false);
    expect(press(button, movedAt + guardMs)).toBe(true);
  });

  test("is not answered when it moves during the press", () => {
    const { element, button, move } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    down(button, performance.now());
    move(20);
    expect(click(button, performance.now() + 50)).toBe(false);
  });

  test("is answered by a key, which has no position", () => {
    const { element, move } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    move(20);
    expect(key(performance.now())).toBe(true);
  });
});

describe("a press that began elsewhere", () => {
  test("on another request does not answer this one", () => {
    const [first, second] = [ask(), ask()];
    const { stop } = shown(first.element);
    vi.advanceTimersByTime(10 * guardMs);
    down(first.button, performance.now());
    stop();
    shown(second.element);
    vi.advanceTimersByTime(10 * guardMs);
    // A tap is dispatched to the element under the finger when it goes up.
    expect(click(second.button, performance.now())).toBe(false);
    expect(press(second.button, performance.now())).toBe(true);
  });

  test("as the first click of a double click: the second click does not answer", () => {
    const [first, second] = [ask(), ask()];
    const { stop } = shown(first.element);
    vi.advanceTimersByTime(10 * guardMs);
    expect(press(first.button, performance.now())).toBe(true);
    stop();
    shown(second.element);
    vi.advanceTimersByTime(10 * guardMs);
    expect(press(second.button, performance.now(), 2)).toBe(false);
    expect(press(second.button, performance.now(), 3)).toBe(false);
    expect(press(second.button, performance.now(), 1)).toBe(true);
    expect(press(second.button, performance.now(), 2)).toBe(true);
  });

  test("as the first of two taps at one position: the second does not answer the request below", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    const over = document.createElement("button");
    document.body.append(over);
    const at = performance.now();
    press(over, at);
    over.remove();
    // A browser may count each tap as a first click.
    expect(press(button, at + guardMs - 1)).toBe(false);
    expect(press(button, at + 2 * guardMs)).toBe(true);
  });

  test("at another position does not prevent an answer", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    const at = performance.now();
    press(document.body, at);
    down(button, at + 200, "pointerdown", { clientX: 300 });
    expect(click(button, at + 250)).toBe(true);
  });

  test("that was cancelled does not count", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    down(document.body, performance.now());
    down(document.body, performance.now(), "pointercancel");
    expect(click(button, performance.now())).toBe(true);
  });
});

describe("a key", () => {
  test("that repeats never answers, nor does the click that it makes", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    expect(key(performance.now(), { repeat: true })).toBe(false);
    down(button, performance.now(), "keydown", { repeat: true });
    expect(click(button, performance.now(), 0)).toBe(false);
    down(button, performance.now(), "keydown", { repeat: false });
    expect(click(button, performance.now(), 0)).toBe(true);
  });

  test("that went down before the request was ready does not click it later", () => {
    const { element, button } = ask();
    const { at } = shown(element);
    down(button, at + 10, "keydown", { repeat: false });
    vi.advanceTimersByTime(10 * guardMs);
    expect(click(button, performance.now(), 0)).toBe(false);
  });

  test("that was pressed a moment before on another element does not answer", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    const at = performance.now();
    down(document.body, at, "keydown");
    down(button, at + guardMs - 1, "keydown");
    expect(click(button, at + guardMs - 1, 0)).toBe(false);
    down(button, at + 2 * guardMs, "keydown");
    expect(click(button, at + 2 * guardMs, 0)).toBe(true);
  });

  test("that is held down, such as the space bar, answers once when it goes up", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    const at = performance.now();
    down(button, at, "keydown", { key: " ", repeat: false });
    for (const after of [500, 530, 560])
      down(button, at + after, "keydown", { key: " ", repeat: true });
    expect(click(button, at + 600, 0)).toBe(true);
  });

  test("that was pressed elsewhere does not block assistive technology", () => {
    const { element, button } = ask();
    down(document.body, performance.now(), "keydown", { repeat: true });
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    expect(click(button, performance.now(), 0)).toBe(true);
  });
});

test("nothing answers when no request is shown", () => {
  const { element, button } = ask();
  const { stop } = shown(element);
  vi.advanceTimersByTime(10 * guardMs);
  stop();
  expect(press(button, performance.now())).toBe(false);
  expect(key(performance.now())).toBe(false);
  expect(guard.state()).toBe("appearing");
});
