import { LandlineError, limitsOf } from "@landline/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  codeOf,
  forever,
  form,
  options,
  permission,
  selected,
  usePermissions,
} from "../../../test/permissions/use-permissions.ts";
import { anyRule } from "../../../test/permissions/corpus/any-rule.ts";
import type { AskOutcome } from "./request-outcome.ts";

const at = usePermissions();
const { desk } = at;

afterEach(() => {
  vi.useRealTimers();
});

describe("a permission request", () => {
  it("is logged first, and answered once its outcome is logged", async () => {
    const { asks, events, lastId } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    const askId = lastId();
    expect(askId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const { toolCall } = permission();
    expect(events).toEqual([{ kind: "ask-opened", askId, ask: "permission", toolCall, options }]);
    expect(asks.open).toMatchObject([{ askId, ask: "permission", child: null }]);
    asks.answer(askId, selected("yes"), "client-1");
    expect(events[1]).toEqual({
      kind: "ask-settled",
      askId,
      outcome: selected("yes"),
      by: { client: "client-1" },
    });
    expect(await answered).toEqual({ outcome: selected("yes") });
    expect(asks.open).toEqual([]);
  });

  it("contains its child session", () => {
    const { asks, events } = desk();
    void asks.permission(permission(), "child-1", forever());
    expect(events[0]).toMatchObject({ child: "child-1" });
    expect(asks.open[0]).toMatchObject({ child: "child-1" });
  });

  it("may be cancelled", async () => {
    const { asks, lastId } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    asks.answer(lastId(), { outcome: "cancelled" }, "client-1");
    expect(await answered).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("tells later clients who answered first", async () => {
    const { asks, events, lastId } = desk();
    void asks.permission(permission(), undefined, forever());
    const askId = lastId();
    asks.answer(askId, selected("no"), "client-1");
    expect(() => asks.answer(askId, selected("yes"), "client-2")).toThrow(
      expect.objectContaining({
        code: "ask-already-settled",
        data: { by: { client: "client-1" }, outcome: selected("no") },
      }),
    );
    expect(events).toHaveLength(2);
  });

  it.each<readonly [string, unknown, string]>([
    ["an option that was not offered", selected("maybe"), "option-not-offered"],
    ["an option's name", selected("Yes"), "option-not-offered"],
    ["the answer to a question", { action: "accept" }, "invalid-params"],
    ["an unknown outcome", { outcome: "perhaps" }, "invalid-params"],
    ["nothing", {}, "invalid-params"],
  ])("stays open after %s", async (_what, outcome, code) => {
    const { asks, events, lastId } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    const askId = lastId();
    expect(() => asks.answer(askId, outcome as AskOutcome, "client-1")).toThrow(
      expect.objectContaining({ code }),
    );
    expect(events).toHaveLength(1);
    asks.answer(askId, selected("yes"), "client-1");
    expect(await answered).toEqual({ outcome: selected("yes") });
  });

  it("that is unknown is not found", () => {
    expect(() => desk().asks.answer("x", selected("yes"), "client-1")).toThrow(
      expect.objectContaining({ code: "ask-not-found" }),
    );
  });

  it("is remembered for a while after it is settled", () => {
    const { asks, lastId } = desk({ limits: limitsOf("default", { asksRemembered: 2 }) });
    const ids = ["a", "b", "c"].map(() => {
      void asks.permission(permission(), undefined, forever());
      const askId = lastId();
      asks.answer(askId, selected("yes"), "client-1");
      return askId;
    });
    const codes = ids.map((askId) => codeOf(() => asks.answer(askId, selected("yes"), "client-2")));
    expect(codes).toEqual(["ask-not-found", "ask-already-settled", "ask-already-settled"]);
  });

  it("is answered without fields that are for clients only", async () => {
    const { asks, events, lastId } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    asks.answer(lastId(), selected("no", { "landline/note": "use pnpm", traceparent: "x" }), "c");
    expect(await answered).toEqual({ outcome: selected("no", { traceparent: "x" }) });
    expect(events[1]).toMatchObject({ outcome: { _meta: { "landline/note": "use pnpm" } } });
  });

  it("is logged with the note of a rejection, which the agent does not receive", async () => {
    const { asks, events, lastId } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    asks.answer(lastId(), selected("no"), "c", "Use pnpm.");
    expect(await answered).toEqual({ outcome: selected("no") });
    expect(events[1]).toMatchObject({ kind: "ask-settled", note: "Use pnpm." });
    void asks.permission(permission(), undefined, forever());
    asks.answer(lastId(), selected("no"), "c");
    expect(events[3]).not.toHaveProperty("note");
  });

  it("is refused if too many are open", async () => {
    const { asks, events } = desk({ limits: limitsOf("default", { asksOpen: 1 }) });
    void asks.permission(permission(), undefined, forever());
    const second = asks.permission(permission(), undefined, forever());
    await expect(second).rejects.toMatchObject({ code: "rate-limited" });
    expect(events).toHaveLength(1);
  });

  it("reports how long it waited", () => {
    vi.useFakeTimers();
    const waits: number[] = [];
    const { asks, lastId } = desk({ settled: (waitedMs) => waits.push(waitedMs) });
    void asks.permission(permission(), undefined, forever());
    vi.advanceTimersByTime(1_500);
    asks.answer(lastId(), selected("yes"), "client-1");
    expect(waits).toEqual([1_500]);
  });
});

describe("an unanswered request", () => {
  it.each(["turn-cancelled", "turn-ended", "agent-gone", "timeout"] as const)(
    "is cancelled when all are settled: %s",
    async (reason) => {
      const { asks, events } = desk();
      const answers = [
        asks.permission(permission(), undefined, forever()),
        asks.question(form, undefined, forever()),
      ] as const;
      asks.settleAll(reason);
      expect(await Promise.all(answers)).toEqual([
        { outcome: { outcome: "cancelled" } },
        { action: "cancel" },
      ]);
      expect(events.slice(2)).toMatchObject([
        { kind: "ask-settled", outcome: { outcome: "cancelled" }, by: { gateway: reason } },
        { kind: "ask-settled", outcome: { action: "cancel" }, by: { gateway: reason } },
      ]);
      asks.settleAll(reason);
      expect(events).toHaveLength(4);
    },
  );

  it.each([
    [new LandlineError("request-cancelled"), "withdrawn"],
    [new LandlineError("connection-lost"), "agent-gone"],
    [undefined, "agent-gone"],
  ])("is cancelled when the agent's request is aborted by %s", async (reason, gateway) => {
    const { asks, events } = desk();
    const abort = new AbortController();
    const answered = asks.permission(permission(), undefined, abort.signal);
    abort.abort(reason);
    expect(await answered).toEqual({ outcome: { outcome: "cancelled" } });
    expect(events[1]).toMatchObject({ kind: "ask-settled", by: { gateway } });
  });

  it("is logged and cancelled if the request was aborted before", async () => {
    const { asks, events } = desk();
    const gone = AbortSignal.abort(new LandlineError("connection-lost"));
    expect(await asks.question(form, undefined, gone)).toEqual({ action: "cancel" });
    expect(events.map(({ kind }) => kind)).toEqual(["ask-opened", "ask-settled"]);
  });

  it("waits without a limit", async () => {
    vi.useFakeTimers();
    const { asks } = desk();
    void asks.permission(permission(), undefined, forever());
    await vi.advanceTimersByTimeAsync(2 ** 40);
    expect(asks.open).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([60_000, 2 ** 33])("waits up to the limit: %i ms", async (askMs) => {
    vi.useFakeTimers();
    const { asks, events } = desk({ limits: limitsOf("default", { askMs }) });
    const answered = asks.permission(permission(), undefined, forever());
    await vi.advanceTimersByTimeAsync(askMs - 1);
    expect(asks.open).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answered).toEqual({ outcome: { outcome: "cancelled" } });
    expect(events[1]).toMatchObject({ by: { gateway: "timeout" } });
  });

  it("leaves no timer and no listener when it is answered", () => {
    vi.useFakeTimers();
    const { asks, lastId } = desk({ limits: limitsOf("default", { askMs: 1_000 }) });
    const { signal } = new AbortController();
    const listeners = vi.spyOn(signal, "removeEventListener");
    void asks.permission(permission(), undefined, signal);
    asks.answer(lastId(), selected("yes"), "client-1");
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners).toHaveBeenCalledOnce();
  });
});

describe("a log that refuses", () => {
  it("opens no request", async () => {
    const { asks, log } = desk();
    log.refuses = true;
    const answered = asks.permission(permission(), undefined, forever());
    await expect(answered).rejects.toMatchObject({ code: "disk-full" });
    expect(asks.open).toEqual([]);
  });

  it("keeps a request open for the next answer", async () => {
    const { asks, log, lastId } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    const askId = lastId();
    log.refuses = true;
    expect(() => asks.answer(askId, selected("yes"), "client-1")).toThrow(LandlineError);
    log.refuses = false;
    asks.answer(askId, selected("no"), "client-2");
    expect(await answered).toEqual({ outcome: selected("no") });
  });

  it("does not block the agent when everything is cancelled", async () => {
    const { asks, log } = desk();
    const answers = [form, form].map((each) => asks.question(each, undefined, forever()));
    log.refuses = true;
    expect(() => asks.settleAll("agent-gone")).toThrow(
      expect.objectContaining({ code: "disk-full" }),
    );
    expect(await Promise.all(answers)).toEqual([{ action: "cancel" }, { action: "cancel" }]);
    expect(asks.open).toEqual([]);
  });

  it("does not block the agent for a rule", async () => {
    await at.rules.add(anyRule());
    const { asks, log } = desk();
    const answered = asks.permission(permission(), undefined, forever());
    log.refuses = true;
    expect(await answered).toEqual({ outcome: { outcome: "cancelled" } });
  });
});
