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

/** An ask with a button that answers it. */
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

/** At one place, unless told. */
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

/** Shown by a frame at that time. */
function shown(element: Element) {
  const stop = guard.watch(element);
  vi.advanceTimersByTime(frameMs);
  return { stop, at: performance.now() };
}

describe("in the first moment", () => {
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

  test("it does not begin before a frame has shown it, however long that takes", () => {
    const { element, button } = ask();
    guard.watch(element);
    const at = performance.now() + 10 * guardMs;
    expect(press(button, at)).toBe(false);
    expect(key(at)).toBe(false);
  });

  test("subscribers hear when it is ready, and when it has moved", () => {
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

  test("it begins again when the page is seen again", () => {
    const { element } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    document.dispatchEvent(new Event("visibilitychange"));
    expect(key(performance.now())).toBe(false);
    vi.advanceTimersByTime(frameMs + guardMs);
    expect(key(performance.now())).toBe(true);
  });
});

describe("what moves under the pointer", () => {
  test("is not answered by a press that may have been meant for what was there", () => {
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

  test("is not answered when it moves while it is pressed", () => {
    const { element, button, move } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    down(button, performance.now());
    move(20);
    expect(click(button, performance.now() + 50)).toBe(false);
  });

  test("is answered by a key, which has no place", () => {
    const { element, move } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    move(20);
    expect(key(performance.now())).toBe(true);
  });
});

describe("a press that began elsewhere", () => {
  test("on another ask, does not answer this one", () => {
    const [first, second] = [ask(), ask()];
    const { stop } = shown(first.element);
    vi.advanceTimersByTime(10 * guardMs);
    down(first.button, performance.now());
    stop();
    shown(second.element);
    vi.advanceTimersByTime(10 * guardMs);
    // A tap is dispatched where the finger is when it goes up.
    expect(click(second.button, performance.now())).toBe(false);
    expect(press(second.button, performance.now())).toBe(true);
  });

  test("as the first click of a double click, does not answer this one by the second", () => {
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

  test("as the first of two taps at one place, does not answer what it uncovered", () => {
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

  test("and at another place, is no obstacle", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    const at = performance.now();
    press(document.body, at);
    down(button, at + 200, "pointerdown", { clientX: 300 });
    expect(click(button, at + 250)).toBe(true);
  });

  test("and was taken back, does not count", () => {
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

  test("that went down before the ask was ready does not click it later", () => {
    const { element, button } = ask();
    const { at } = shown(element);
    down(button, at + 10, "keydown", { repeat: false });
    vi.advanceTimersByTime(10 * guardMs);
    expect(click(button, performance.now(), 0)).toBe(false);
  });

  test("that was pressed a moment before on something else does not answer", () => {
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

  test("that is held, as some hold the space bar, answers once when it goes up", () => {
    const { element, button } = ask();
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    const at = performance.now();
    down(button, at, "keydown", { key: " ", repeat: false });
    for (const after of [500, 530, 560])
      down(button, at + after, "keydown", { key: " ", repeat: true });
    expect(click(button, at + 600, 0)).toBe(true);
  });

  test("that was pressed elsewhere is no obstacle to assistive technology", () => {
    const { element, button } = ask();
    down(document.body, performance.now(), "keydown", { repeat: true });
    shown(element);
    vi.advanceTimersByTime(10 * guardMs);
    expect(click(button, performance.now(), 0)).toBe(true);
  });
});

test("nothing answers when no ask is shown", () => {
  const { element, button } = ask();
  const { stop } = shown(element);
  vi.advanceTimersByTime(10 * guardMs);
  stop();
  expect(press(button, performance.now())).toBe(false);
  expect(key(performance.now())).toBe(false);
  expect(guard.state()).toBe("appearing");
});
