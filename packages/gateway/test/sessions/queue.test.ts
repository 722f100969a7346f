import { emptyView, fold, type SessionEvent } from "@landline/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ScriptedGateway, text, Watcher } from "./scripted-gateway.ts";

/** Asks for a permission at "first", and repeats all other prompts. */
const asking = {
  turns: [
    {
      match: "first",
      steps: [
        {
          permission: {
            toolCall: { toolCallId: "t", kind: "execute", title: "rm -rf build" },
            options: [
              { optionId: "yes", name: "Yes", kind: "allow_once" },
              { optionId: "no", name: "No", kind: "reject_once" },
              { optionId: "odd", name: "Odd", kind: "whatever" },
            ],
          },
        },
      ],
    },
    {
      match: "form",
      steps: [{ ask: { message: "?", requestedSchema: { type: "object", properties: {} } } }],
    },
    { match: "/./", steps: [{ say: "[{{prompt}}]" }] },
  ],
};
const no = { outcome: "selected", optionId: "no" } as const;

const waitingIn = (events: readonly SessionEvent[]) =>
  fold(emptyView(), events).queue.map(({ promptId }) => promptId);

test("queued prompts can be moved, and are sent in order", async () => {
  await using gateway = await ScriptedGateway.open({ asking });
  const session = await gateway.openSession("asking");
  using watcher = new Watcher(session);
  await session.prompt("p1", text("first"), "a");
  const { askId } = await watcher.until("ask-opened");
  for (const id of ["b", "c", "d"]) await session.prompt(id, text(id), "a");
  await session.movePrompt("d", "b", "phone");
  await session.movePrompt("b", null, "phone");
  await session.movePrompt("c", "c", "phone");
  expect(watcher.events.at(-1)).toMatchObject({ kind: "prompt-moved", promptId: "b", by: "phone" });
  expect(waitingIn(watcher.events)).toEqual(["d", "c", "b"]);
  for (const [promptId, before] of [
    ["x", null],
    ["b", "x"],
    ["p1", "b"],
    ["b", "p1"],
  ] as const)
    await expect(session.movePrompt(promptId, before, "phone")).rejects.toMatchObject({
      code: "prompt-not-found",
    });
  await session.answer(askId, no, "a");
  const last = await watcher.until("turn-started", ({ promptId }) => promptId === "b");
  await watcher.until("turn-ended", ({ turnId }) => turnId === last.turnId);
  expect(watcher.said).toBe("[d][c][b]");
});

test("the note of a rejection is sent before queued prompts", async () => {
  await using gateway = await ScriptedGateway.open({ asking });
  const session = await gateway.openSession("asking");
  using watcher = new Watcher(session);
  await session.prompt("p1", text("first"), "a");
  const { askId } = await watcher.until("ask-opened");
  await session.prompt("p2", text("second"), "a");
  const { promptId } = await session.answer(askId, no, "phone", "Move it to the bin.");
  expect(promptId).toMatch(/^[0-9a-f-]{36}$/);
  const settledAt = watcher.kinds.indexOf("ask-settled");
  expect(watcher.events.slice(settledAt, settledAt + 3)).toMatchObject([
    { kind: "ask-settled", askId, outcome: no, note: "Move it to the bin." },
    { kind: "prompt-queued", promptId, content: text("Move it to the bin."), by: "phone" },
    { kind: "prompt-moved", promptId, before: "p2", by: "phone" },
  ]);
  const last = await watcher.until("turn-started", (event) => event.promptId === "p2");
  await watcher.until("turn-ended", ({ turnId }) => turnId === last.turnId);
  expect(watcher.said).toBe("[Move it to the bin.][second]");
  const view = await session.view();
  expect(view).toEqual(fold(emptyView(), watcher.events));
  expect(view.items.find(({ type }) => type === "ask")).toMatchObject({
    settled: { by: { client: "phone" }, note: "Move it to the bin." },
  });
});

test("a note alone in the queue is queued like any prompt, even with a cancelled request", async () => {
  await using gateway = await ScriptedGateway.open({ asking });
  const session = await gateway.openSession("asking");
  using watcher = new Watcher(session);
  await session.prompt("p1", text("first"), "a");
  const { askId } = await watcher.until("ask-opened");
  const { promptId } = await session.answer(askId, { outcome: "cancelled" }, "a", "Stop that.");
  const started = await watcher.until("turn-started", (event) => event.promptId === promptId);
  await watcher.until("turn-ended", ({ turnId }) => turnId === started.turnId);
  expect(watcher.said).toBe("[Stop that.]");
  expect(watcher.kinds).not.toContain("prompt-moved");
});

test("a note that can't be sent leaves the request open", async () => {
  await using gateway = await ScriptedGateway.open({ asking }, { promptsQueued: 1 });
  const session = await gateway.openSession("asking");
  using watcher = new Watcher(session);
  await session.prompt("p1", text("first"), "a");
  const { askId } = await watcher.until("ask-opened");
  const answer = (outcome: Parameters<typeof session.answer>[1], note = "why") =>
    session.answer(askId, outcome, "a", note);
  const refused = { code: "invalid-params", data: { field: "note" } };
  for (const optionId of ["yes", "odd"])
    await expect(answer({ outcome: "selected", optionId })).rejects.toMatchObject(refused);
  await expect(answer({ outcome: "selected", optionId: "none" })).rejects.toMatchObject({
    code: "option-not-offered",
  });
  await session.prompt("p2", text("second"), "a");
  await expect(answer(no)).rejects.toMatchObject({ code: "session-locked" });
  expect(watcher.kinds).not.toContain("ask-settled");
  await session.withdrawPrompt("p2", "a");
  const { promptId } = await answer(no);
  await expect(answer(no)).rejects.toMatchObject({ code: "ask-already-settled" });
  await watcher.until("turn-started", (event) => event.promptId === promptId);
  await session.prompt("p3", text("form"), "a");
  const question = await watcher.until("ask-opened", ({ ask }) => ask === "question");
  await expect(
    session.answer(question.askId, { action: "decline" }, "a", "why"),
  ).rejects.toMatchObject(refused);
  await session.answer(question.askId, { action: "decline" }, "a");
});

type Step =
  | { readonly do: "queue"; readonly id: string }
  | { readonly do: "withdraw"; readonly id: string }
  | { readonly do: "move"; readonly id: string; readonly before: string | null };

const anyId = fc.constantFrom("a", "b", "c", "d");
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: anyId.map((id): Step => ({ do: "queue", id })) },
  { weight: 1, arbitrary: anyId.map((id): Step => ({ do: "withdraw", id })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyId, fc.option(anyId))
      .map(([id, before]): Step => ({ do: "move", id, before })),
  },
);

test("prompts are sent in the order of the log after any queue changes", async () => {
  await using gateway = await ScriptedGateway.open({ asking });
  const sent = async (steps: readonly Step[]) => {
    const session = await gateway.openSession("asking");
    using watcher = new Watcher(session);
    await session.prompt("p1", text("first"), "a");
    const { askId } = await watcher.until("ask-opened");
    const act = (step: Step) => {
      if (step.do === "queue") return session.prompt(step.id, text(step.id), "a");
      if (step.do === "withdraw") return session.withdrawPrompt(step.id, "a");
      return session.movePrompt(step.id, step.before, "a");
    };
    for (const step of steps) await act(step).catch(() => {});
    const order = waitingIn(watcher.events);
    await session.prompt("last", text("last"), "a");
    await session.answer(askId, no, "a");
    const last = await watcher.until("turn-started", ({ promptId }) => promptId === "last");
    await watcher.until("turn-ended", ({ turnId }) => turnId === last.turnId);
    await session.close("a");
    return { order: [...order, "last"].map((id) => `[${id}]`).join(""), said: watcher.said };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 40 }), async (steps) => {
      const { order, said } = await sent(steps);
      expect(said).toBe(order);
    }),
    { numRuns: 5 },
  );
});

test("a repeated prompt is acknowledged, even while the session is closing", async () => {
  await using gateway = await ScriptedGateway.open({ asking });
  const session = await gateway.openSession("asking");
  using watcher = new Watcher(session);
  await session.prompt("p1", text("first"), "a");
  await watcher.until("ask-opened");
  const closing = session.close("a");
  await session.prompt("p1", text("first"), "a");
  await expect(session.prompt("p2", text("second"), "a")).rejects.toMatchObject({
    code: "session-closed",
  });
  await closing;
  expect(watcher.kinds.filter((kind) => kind === "prompt-queued")).toHaveLength(1);
});

test("a running session has the same summary as its log", async () => {
  await using gateway = await ScriptedGateway.open({ asking }, { blobBytes: 2_000 });
  const session = await gateway.openSession("asking");
  using watcher = new Watcher(session);
  // Stored as a blob, so that readers of the log do not have its text.
  await session.prompt("p1", text("long ".repeat(1_000)), "a");
  await session.prompt("p2", text("short"), "a");
  await watcher.until("prompt-queued", ({ promptId }) => promptId === "p2");
  const { firstPrompt } = (await session.view()).session;
  expect([firstPrompt, session.summary.firstPrompt]).toEqual(["short", "short"]);
});
