import type { TraceLine } from "@landline/client";
import { describe, expect, it, test } from "vitest";
import { capabilityText, lastExitText, noiseText, startText, stateText } from "./agent-text.ts";
import { eventText, isWanted, searchEvents, newestFirst, type AnyEvent } from "./event-text.ts";
import { planProgress, priorityWord, shownStatus, statusWord } from "./plan-text.ts";
import { contextShare, contextText, costText, shareText, turnParts } from "./usage-text.ts";
import { traceText } from "./trace-text.ts";

describe("a plan", () => {
  const entry = (content: string, status: "pending" | "in_progress" | "completed") => ({
    content,
    status,
    priority: "medium" as const,
  });

  it("shows its progress and current entry", () => {
    const plan = [entry("a", "completed"), entry("b", "pending"), entry("c", "in_progress")];
    expect(planProgress(plan)).toEqual({ done: 1, all: 3, current: "c" });
    expect(planProgress([entry("a", "completed"), entry("b", "pending")]).current).toBe("b");
    expect(planProgress([entry("a", "completed")]).current).toBeNull();
    expect(planProgress([])).toEqual({ done: 0, all: 0, current: null });
  });

  it("has a label for each status and priority", () => {
    expect(["pending", "in_progress", "on_hold"].map(statusWord)).toEqual([
      "To do",
      "In progress",
      "on hold",
    ]);
    expect(["high", "medium", undefined].map(priorityWord)).toEqual(["high", null, null]);
  });
});

test("shows no entry in progress when no turn is running", () => {
  const words = (isUnderWay: boolean) =>
    ["completed", "in_progress", "pending"].map((status) =>
      statusWord(shownStatus(status, isUnderWay)),
    );
  expect(words(true)).toEqual(["Done", "In progress", "To do"]);
  expect(words(false)).toEqual(["Done", "Not finished", "To do"]);
});

describe("usage", () => {
  it.each([
    [0, "0 %"],
    [0.0004, "below 0.1 %"],
    [0.005776, "0.6 %"],
    [0.02, "2 %"],
    [0.0999, "10 %"],
    [0.426, "43 %"],
    [1, "100 %"],
  ])("a share of %d is %s", (share, words) => {
    expect(shareText(share)).toBe(words);
  });

  it("shows where thought tokens are counted", () => {
    const names = (usage: Parameters<typeof turnParts>[0]) =>
      turnParts(usage).map(({ name }) => name);
    const usage = { inputTokens: 100, outputTokens: 50, thoughtTokens: 20 };
    expect(names({ ...usage, totalTokens: 150 })).toContain("Of that, thinking");
    expect(names({ ...usage, totalTokens: 170 })).toContain("Thinking");
    expect(names({ ...usage, cachedReadTokens: 5, totalTokens: 155 })).toContain(
      "Of that, thinking",
    );
    expect(names(usage)).toContain("Thinking");
  });

  it("is described", () => {
    expect(contextText(42_000, 200_000)).toBe("42,000 of 200,000 tokens");
    expect(contextText(42_000, 0)).toBe("42,000 tokens");
    expect([contextShare(1, 4), contextShare(9, 4), contextShare(1, 0)]).toEqual([0.25, 1, 0]);
  });

  it.each([
    [0.12, "USD", "$0.12"],
    [0.0042, "USD", "$0.0042"],
    [12.5, "EUR", "€12.50"],
    [3, "credits", "3 credits"],
  ])("%d %s costs %s", (amount, currency, words) => {
    expect(costText({ amount, currency })).toBe(words);
  });

  it("of a turn leaves out unused parts", () => {
    expect(turnParts({ inputTokens: 1_234, outputTokens: 0, thoughtTokens: null })).toEqual([
      { name: "Input", count: "1,234" },
    ]);
  });
});

describe("an agent", () => {
  it("is ready, working or stopped, and shows how it exited", () => {
    expect(stateText({ state: "running" }, false)).toBe("Ready");
    expect(stateText({ state: "running" }, true)).toBe("Working");
    expect(stateText({ state: "none" }, true)).toBe("Not running");
    expect(stateText({ state: "none", waiting: { running: 8, limit: 8 } }, true)).toBe(
      "Waiting for a free agent: 8 of 8 are running.",
    );
    expect(lastExitText({ code: 3, signal: null })).toBe("Last ended with exit code 3");
    expect(lastExitText({ code: null, signal: "SIGTERM" })).toBe("Last ended by SIGTERM");
    expect(lastExitText({ code: null, signal: null })).toBe("Last ended without an exit code");
    expect([noiseText(1), noiseText(2)]).toEqual([
      "1 line on stdout was not a protocol message",
      "2 lines on stdout were not protocol messages",
    ]);
  });

  it("is described", () => {
    expect(startText({ how: "resume", starts: 3 })).toBe("Resumed the conversation (start 3)");
    expect(startText({ how: null, starts: 0 })).toBeNull();
    const words = capabilityText({
      loadSession: true,
      promptCapabilities: { image: true, audio: false },
      sessionCapabilities: { resume: {} },
    });
    expect(words).toEqual(["images", "loading", "resuming"]);
    expect(capabilityText({})).toEqual([]);
  });
});

describe("an event in a line", () => {
  const at = 1;
  it.each<readonly [AnyEvent, string, string]>([
    [
      {
        seq: 1,
        at,
        kind: "update",
        update: {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "Hi\nyou" },
        },
      },
      "agent_message_chunk",
      '"Hi\\nyou"',
    ],
    [
      {
        seq: 2,
        at,
        kind: "update",
        child: "c",
        update: { sessionUpdate: "tool_call", title: "Read", toolCallId: "t" },
      },
      "tool_call",
      "child c · Read · t",
    ],
    [{ seq: 3, at, kind: "turn-started", turnId: "t", promptId: "p" }, "turn-started", "p · t"],
    [{ seq: 4, at, kind: "of-tomorrow", what: 5 }, "of-tomorrow", ""],
    [{ seq: 5, at, kind: "update", update: "broken" }, "update", ""],
  ])("%j", (event, name, detail) => {
    expect(eventText(event)).toEqual({ name, detail });
  });

  it("is filtered by kind and by text, ignoring case", () => {
    const event: AnyEvent = { seq: 1, at, kind: "error", code: "x", message: "Not Found" };
    expect(isWanted(event, "", "")).toBe(true);
    expect(isWanted(event, "error", "not found")).toBe(true);
    expect(isWanted(event, "error", "elsewhere")).toBe(false);
    expect(isWanted(event, "update", "")).toBe(false);
  });

  it("is among the searched ones", () => {
    const events = (from: number, to: number): AnyEvent[] =>
      Array.from({ length: from - to + 1 }, (_, index) => ({ seq: from - index, at, kind: "x" }));
    expect(searchEvents([], null)).toBe("");
    expect(searchEvents(events(3, 1), null)).toBe("All 3 events.");
    expect(searchEvents(events(3, 1), 1)).toBe("1 of all 3 events matches.");
    expect(searchEvents(events(1_200, 1_001), null)).toBe("The newest 200 of 1,200 events.");
    expect(searchEvents(events(1_200, 1_001), 0)).toBe(
      "0 of the newest 200 of 1,200 events match.",
    );
  });

  it("appears once, newest first, within the limit", () => {
    const of = (...numbers: number[]) => numbers.map((number) => ({ number }));
    const kept = newestFirst(of(3, 2), of(2, 4, 1), 3, ({ number }) => number);
    expect(kept).toEqual(of(4, 3, 2));
    expect(newestFirst(kept, [], 3, ({ number }) => number)).toBe(kept);
  });
});

describe("a line of the trace", () => {
  const line = (part: Partial<TraceLine>): TraceLine => ({
    number: 1,
    at: 1,
    direction: "in",
    ...part,
  });
  it.each<readonly [Partial<TraceLine>, string, string]>([
    [{ message: { id: 3, method: "session/prompt", params: {} } }, "session/prompt", "#3"],
    [
      { message: { method: "session/update", params: { update: { sessionUpdate: "plan" } } } },
      "session/update",
      "plan",
    ],
    [{ message: { id: 3, result: {} } }, "result", "#3"],
    [{ message: { id: 3, error: { code: 1, message: "No" } } }, "error", "#3 No"],
    [{ text: "not json" }, "text", "not json"],
  ])("%j", (part, name, detail) => {
    expect(traceText(line(part))).toEqual({ name, detail });
  });
});
