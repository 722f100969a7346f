import { emptyView, fold, trimView, type Item, type SessionEvent } from "@landline/protocol";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallInput } from "./api.ts";
import type { AnyEvent } from "./read-frame.ts";
import { History } from "./history.ts";
import { foldStart } from "./fold-start.ts";
import { defaultTiming } from "./timing.ts";
import { itemsOf } from "./merged-items.ts";

/** Turns with queued prompts and late tool results, as in a log. */
function logOf(turns: readonly { readonly chunks: number; readonly ahead: boolean }[]): AnyEvent[] {
  const log: AnyEvent[] = [];
  const put = (body: object) => {
    const seq = log.length + 1;
    log.push({ seq, at: seq, ...body } as unknown as SessionEvent);
  };
  const queue = (number: number) =>
    put({
      kind: "prompt-queued",
      promptId: `p${number}`,
      content: [{ type: "text", text: "?" }],
      by: "me",
    });
  put({
    kind: "session-opened",
    agent: "a",
    cwd: "/",
    roots: [],
    title: null,
    parent: null,
    by: "me",
  });
  const queued = new Set<number>();
  for (const [number, { chunks, ahead }] of turns.entries()) {
    if (!queued.has(number)) queue(number);
    const turnId = `t${number}`;
    put({ kind: "turn-started", turnId, promptId: `p${number}` });
    if (ahead && number + 1 < turns.length) {
      queue(number + 1);
      queued.add(number + 1);
    }
    for (let chunk = 0; chunk < chunks; chunk++) {
      const tool = { sessionUpdate: "tool_call", toolCallId: `${turnId} ${chunk}`, title: "Tool" };
      put({ kind: "update", update: tool });
      const messageId = `${turnId} ${chunk % 2}`;
      const text = {
        sessionUpdate: "agent_message_chunk",
        messageId,
        content: { type: "text", text: `${chunk} ` },
      };
      put({ kind: "update", update: text });
    }
    for (let chunk = 0; chunk < chunks; chunk++) {
      const end = {
        sessionUpdate: "tool_call_update",
        toolCallId: `${turnId} ${chunk}`,
        status: "completed",
      };
      put({ kind: "update", update: end });
    }
    put({ kind: "turn-ended", turnId, stopReason: "end_turn" });
  }
  return log;
}

class LogApi {
  readonly #log: readonly AnyEvent[];
  read = 0;
  isDown = false;

  constructor(log: readonly AnyEvent[]) {
    this.#log = log;
  }

  readEvents({ before, after = 0, limit = 1_000 }: Partial<CallInput<"read-events">>) {
    if (this.isDown) return Promise.reject(new Error("down"));
    const events =
      before === undefined
        ? this.#log.slice(after, after + limit)
        : this.#log.slice(Math.max(0, before - 1 - limit), Math.max(0, before - 1));
    this.read += events.length;
    return Promise.resolve({ events, head: this.#log.length });
  }
}

function open(
  log: readonly AnyEvent[],
  kept: number,
  bounds: { pageEvents: number; historyEvents: number },
) {
  const whole = fold(emptyView(), log);
  const view = trimView(whole, kept);
  const api = new LogApi(log);
  const history = new History("s", api, { ...defaultTiming, ...bounds }, () => {});
  const items = () => itemsOf({ older: history.older, view });
  return { whole, view, api, history, items };
}

const turns = fc.array(fc.record({ chunks: fc.nat(6), ahead: fc.boolean() }), {
  minLength: 1,
  maxLength: 12,
});

describe("the start of a fold", () => {
  it("cuts no turn, and has the prompt of every turn that starts", () => {
    fc.assert(
      fc.property(turns, fc.nat(100), (plan, cut) => {
        const log = logOf(plan);
        const events = log.slice(cut % log.length);
        const start = foldStart(events);
        const part = start === null ? [] : events.slice(start);
        const prompts = new Set(
          part.map((event) => event.kind === "prompt-queued" && event.promptId),
        );
        const started = part.filter(({ kind }) => kind === "turn-started");
        const ended = part.filter(({ kind }) => kind === "turn-ended");
        expect(ended.length).toBe(started.length);
        for (const event of started)
          expect(prompts).toContain((event as { promptId?: unknown }).promptId);
      }),
    );
  });
});

describe("older history", () => {
  it("is read in parts that make up the whole, each event once", async () => {
    const plans = fc.tuple(turns, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 30 }));
    await fc.assert(
      fc.asyncProperty(plans, async ([plan, kept, pageEvents]) => {
        const { whole, view, api, history, items } = open(logOf(plan), kept, {
          pageEvents,
          historyEvents: 20_000,
        });
        for (let page = 0; history.stateFor(view) === "more" && page < 500; page++)
          await history.load(view);
        expect(history.stateFor(view)).toBe("whole");
        expect(items()).toEqual(whole.items);
        expect(api.read).toBeLessThanOrEqual(2 * whole.head + pageEvents);
      }),
    );
  });

  it("is split inside a turn that is longer than the limit", async () => {
    const log = logOf([{ chunks: 200, ahead: false }]);
    const { whole, view, history, items } = open(log, 5, { pageEvents: 10, historyEvents: 40 });
    while (history.stateFor(view) === "more") await history.load(view);
    expect(history.older.length).toBeGreaterThan(5);
    const shown = new Set(items().map(({ key }) => key));
    expect(whole.items.filter(({ key }) => !shown.has(key))).toEqual([]);
  });

  it("keeps open items in their original position, in the state of the view", async () => {
    const plans = fc.tuple(turns, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 }));
    await fc.assert(
      fc.asyncProperty(plans, async ([plan, kept, cut]) => {
        const log = logOf([...plan, { chunks: 20, ahead: false }]);
        const known = log.slice(0, -cut);
        const { view, history } = open(known, kept, { pageEvents: 7, historyEvents: 20_000 });
        while (history.stateFor(view) === "more") await history.load(view);
        const { older } = history;
        expect(itemsOf({ older, view })).toEqual(fold(emptyView(), known).items);
        const later = itemsOf({ older, view: fold(view, log.slice(-cut)) });
        expect(later).toEqual(fold(emptyView(), log).items);
      }),
    );
  });

  it("comes after open items that began before everything loaded", async () => {
    const log = logOf([{ chunks: 200, ahead: false }]).slice(0, -1);
    const { view, history } = open(log, 5, { pageEvents: 10, historyEvents: 40 });
    await history.load(view);
    const items = itemsOf({ older: history.older, view });
    expect(items[0]).toMatchObject({ type: "prompt", promptId: "p0" });
    expect(items.map(({ first }) => first)).toEqual(
      items.map(({ first }) => first).toSorted((some, other) => some - other),
    );
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
  });

  it("is read once, even when a listener requests it during the read", async () => {
    const api = new LogApi(logOf([{ chunks: 9, ahead: false }]));
    const whole = fold(emptyView(), (await api.readEvents({})).events);
    const view = trimView(whole, 2);
    const timing = { ...defaultTiming, pageEvents: 1_000 };
    const history: History = new History("s", api, timing, () => void history.load(view));
    await history.load(view);
    expect(itemsOf({ older: history.older, view })).toEqual(whole.items);
  });

  it("shows each text once and the end of each tool call when a turn is split", async () => {
    const log = logOf([{ chunks: 0, ahead: false }]).slice(0, -1);
    const put = (update: object) => {
      const seq = log.length + 1;
      log.push({ seq, at: seq, kind: "update", update });
    };
    const start = (number: number) =>
      put({ sessionUpdate: "tool_call", toolCallId: `tool ${number}`, title: "Tool" });
    const end = (number: number) =>
      put({
        sessionUpdate: "tool_call_update",
        toolCallId: `tool ${number}`,
        status: "completed",
      });
    start(0);
    for (let number = 0; number < 40; number++) {
      start(number + 1);
      for (let chunk = 0; chunk < 9; chunk++) {
        const content = { type: "text", text: `${number}.${chunk} ` };
        put({ sessionUpdate: "agent_message_chunk", content });
      }
      end(number);
    }
    const { whole, view, history } = open(log, 3, { pageEvents: 10, historyEvents: 40 });
    while (history.stateFor(view) === "more") await history.load(view);
    expect(history.older.length).toBeGreaterThan(5);
    const told = (items: readonly Item[]) => ({
      text: items
        .flatMap((item) => (item.type === "message" ? item.content : []))
        .map((block) => (block.type === "text" ? block.text : ""))
        .join(""),
      tools: items.flatMap((item) =>
        item.type === "tool-call" ? [[item.toolCallId, item.status]] : [],
      ),
    });
    // A tool call that spans a cut starts again with its final update: it is in both parts.
    const shown = told(itemsOf({ older: history.older, view }));
    const wanted = told(whole.items);
    expect(shown.text).toBe(wanted.text);
    expect(new Map(shown.tools as [string, string][])).toEqual(
      new Map(wanted.tools as [string, string][]),
    );
    expect(shown.tools.filter(([, status]) => status !== "completed")).toHaveLength(1);
  });

  it("reports that it cannot be read, and can be requested again", async () => {
    const { view, api, history, items, whole } = open(logOf([{ chunks: 9, ahead: false }]), 2, {
      pageEvents: 1_000,
      historyEvents: 20_000,
    });
    api.isDown = true;
    await expect(history.load(view)).rejects.toThrow("down");
    expect(history.stateFor(view)).toBe("failed");
    api.isDown = false;
    await Promise.all([history.load(view), history.load(view)]);
    expect(history.stateFor(view)).toBe("whole");
    expect(items()).toEqual(whole.items);
  });

  it("has nothing before a view that was folded from the start", async () => {
    const { whole, api, history } = open(logOf([{ chunks: 1, ahead: false }]), 1_000, {
      pageEvents: 10,
      historyEvents: 10,
    });
    await history.load(whole);
    expect({ state: history.stateFor(whole), read: api.read }).toEqual({ state: "whole", read: 0 });
  });

  it("shows nothing that was read for a replaced view", async () => {
    const { view, history } = open(logOf([{ chunks: 9, ahead: false }]), 2, {
      pageEvents: 1_000,
      historyEvents: 20_000,
    });
    const loading = history.load(view);
    history.startOver();
    await loading;
    expect({ older: history.older, state: history.stateFor(view) }).toEqual({
      older: [],
      state: "more",
    });
  });
});
