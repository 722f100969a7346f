import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FromWorker, ToWorker } from "./highlight/worker-messages.ts";

/** A worker as the page sees it; the test controls its answers. */
class FakeWorker extends EventTarget {
  static canLoad: "all" | "no grammar" | "nothing" = "all";
  static count = 0;

  constructor() {
    super();
    FakeWorker.count += 1;
    if (FakeWorker.canLoad === "nothing") {
      queueMicrotask(() => this.dispatchEvent(new Event("error")));
    }
  }

  postMessage(message: ToWorker): void {
    if (message.type === "cancel" || FakeWorker.canLoad === "nothing") return;
    const { id, text } = message;
    if (FakeWorker.canLoad === "no grammar") this.#say({ type: "failed", id, message: "no file" });
    else {
      this.#say({ type: "lines", id, lines: [[[text, "keyword"]]] });
      this.#say({ type: "done", id });
    }
  }

  terminate(): void {}

  #say(data: FromWorker): void {
    queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data })));
  }
}

beforeEach(() => {
  // A page has one worker, and each test a new page.
  vi.resetModules();
  vi.stubGlobal("Worker", FakeWorker);
});
afterEach(() => {
  FakeWorker.canLoad = "all";
  vi.unstubAllGlobals();
});

test.each(["nothing", "no grammar"] as const)(
  "code that stayed plain because %s could be loaded gets its colours when the connection is back",
  async (missing) => {
    const { highlight, onHighlightRetry, retryHighlighting } = await import("./highlight.ts");
    const told = vi.fn<() => void>();
    const stop = onHighlightRetry(told);
    const text = `const without = ${JSON.stringify(missing)};`;
    FakeWorker.canLoad = missing;
    expect(await highlight(text, "ts")).toBeNull();
    const before = FakeWorker.count;
    FakeWorker.canLoad = "all";
    retryHighlighting();
    expect(told).toHaveBeenCalledOnce();
    expect(await highlight(text, "ts")).toEqual([[{ text, className: "code-keyword" }]]);
    expect(FakeWorker.count).toBe(before + 1);
    // Nothing has failed since, so no subscriber is called.
    retryHighlighting();
    expect(told).toHaveBeenCalledOnce();
    stop();
  },
);

test("a worker that can't be started is not started again for each code block", async () => {
  const { highlight } = await import("./highlight.ts");
  FakeWorker.canLoad = "nothing";
  expect(await highlight("let a = 1;", "ts")).toBeNull();
  const before = FakeWorker.count;
  expect(await highlight("let b = 2;", "ts")).toBeNull();
  expect(FakeWorker.count).toBe(before);
});
