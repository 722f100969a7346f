import { expect, test } from "vitest";
import { text, turn } from "../sessions/scripted-gateway.ts";
import { inGateway, itemsOf, opened, shipped } from "../sessions/marked-gateway.ts";

// Each test is a numbered habit of real agents.

const secondPrompts: readonly (readonly [string, unknown])[] = [
  ["refuses it, as goose", { reject: { code: -32602, message: "A turn is running" } }],
  ["cancels the first, as gemini", "cancelFirst"],
  ["fails the first, as qwen", { failFirst: { code: -32603, message: "Internal error" } }],
  ["runs both, as claude", "parallel"],
  ["never answers the second, as the older codex", "never"],
];

test.concurrent.each(secondPrompts)(
  "12: a second prompt waits in the gateway, with an agent that %s",
  async (_habit, secondPrompt) => {
    const question = { message: "?", requestedSchema: { type: "object", properties: {} } };
    const agent = {
      secondPrompt,
      turns: [{ match: "first", steps: [{ ask: question }] }, { steps: [{ say: "{{prompt}}" }] }],
    };
    await inGateway({ agent }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await session.prompt("p1", text("first"), "tester");
      const { askId } = await watcher.until("ask-opened");
      const second = turn(session, watcher, "second");
      await watcher.until("prompt-queued", ({ promptId }) => promptId !== "p1");
      expect(watcher.kinds.filter((kind) => kind === "turn-started")).toHaveLength(1);
      await session.answer(askId, { action: "decline" }, "tester");
      expect((await second).stopReason).toBe("end_turn");
      const ends = watcher.events.flatMap((one) =>
        one.kind === "turn-ended" ? [one.stopReason] : [],
      );
      expect(ends).toEqual(["end_turn", "end_turn"]);
      expect(watcher.said).toBe("second");
    });
  },
);

test.concurrent.each([
  ["claude", "401", "cancelled"],
  ["opencode", "cut", "end_turn"],
])("13: a hanging turn of %s is ended by a cancel (%s)", async (name, words, stopReason) => {
  await inGateway({ agent: await shipped(`like-${name}`) }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await session.prompt("p", text(words), "tester");
    await watcher.until("turn-started");
    await session.cancel("tester");
    expect(await watcher.until("turn-ended")).toMatchObject({ stopReason });
    expect((await session.view()).turn.state).toBe("idle");
    expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
  });
});

test.concurrent.each([
  ["gemini", "internal-error", "API key not valid"],
  ["codex", "auth-required", ""],
  ["goose", "auth-required", ""],
  ["opencode", "internal-error", "Internal error: 401"],
  ["qwen", "internal-error", "Internal error"],
])("13: a model failure that %s reports is shown", async (name, code, message) => {
  await inGateway({ agent: await shipped(`like-${name}`) }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    const ended = await turn(session, watcher, "401");
    expect(ended).toMatchObject({ stopReason: "failed", error: { code } });
    expect(ended.error?.message).toContain(message);
    expect(await itemsOf(session, "error")).toContainEqual(expect.objectContaining({ code }));
    expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
  });
});

test.concurrent("13: a failure that an agent reports as its answer is shown as its answer", async () => {
  await inGateway({ agent: await shipped("like-copilot") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    expect(await turn(session, watcher, "401")).toMatchObject({ stopReason: "end_turn" });
    expect(watcher.said).toBe("Error: 401 Unauthorized");
  });
});

test.concurrent.each([
  ["with ids", ["a-{{turnId}}", "b-{{turnId}}"], ["one two", "three"]],
  ["without", [undefined, undefined], ["one twothree"]],
])("20: chunks %s are joined to messages", async (_name, [first, second], messages) => {
  const chunk = (words: string, messageId: string | undefined) => ({
    say: { text: words, ...(messageId === undefined ? {} : { messageId }) },
  });
  const steps = [chunk("one ", first), chunk("two", first), chunk("three", second)];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "go");
    const shown = (await itemsOf(session, "message")).map(({ content }) =>
      content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    );
    expect(shown).toEqual(messages);
  });
});

test.concurrent("21: updates after the response are logged, shown, and start no turn", async () => {
  const steps = [
    { say: "done" },
    { answerEarly: "end_turn" },
    { usage: { used: 10, size: 100 } },
    { title: "A title" },
    { commands: [{ name: "late", description: "Late" }] },
    { toolUpdate: { toolCallId: "t", title: "Late call", status: "completed" } },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    const ended = await turn(session, watcher, "go");
    await watcher.until("update", ({ update }) => update["toolCallId"] === "t", ended.seq);
    const view = await session.view();
    expect(view).toMatchObject({
      turn: { state: "idle" },
      usage: { used: 10, size: 100 },
      session: { title: "A title" },
      commands: [{ name: "late" }],
    });
    expect(await itemsOf(session, "tool-call")).toMatchObject([{ title: "Late call" }]);
    expect(session.summary).toMatchObject({ state: "idle", title: "A title" });
    expect(await turn(session, watcher, "again")).toMatchObject({ stopReason: "end_turn" });
  });
});
