import { expect, test } from "vitest";
import { text, turn } from "../sessions/scripted-gateway.ts";
import { answering, inGateway, itemsOf, opened, shipped } from "../sessions/marked-gateway.ts";

// Each test is a numbered habit of real agents.

const signedIn = async (name: string) => ({ ...(await shipped(name)), authentication: undefined });
const likes = ["claude", "codex", "copilot", "cline", "goose", "opencode", "qwen"];

test.concurrent.each(likes)(
  "8: however the call is reported, there is one, and it is done (like-%s)",
  async (name) => {
    await inGateway({ agent: await signedIn(`like-${name}`) }, async (gateway) => {
      const conversation = await opened(gateway);
      const { ask, ended } = await answering(conversation, "write", "allow_once");
      expect(ended.stopReason).toBe("end_turn");
      const calls = await itemsOf(conversation.session, "tool-call");
      expect(calls).toMatchObject([{ status: "completed", ended: null }]);
      expect(ask).toMatchObject({ toolCall: { toolCallId: calls[0]?.toolCallId } });
      expect(await itemsOf(conversation.session, "ask")).toMatchObject([
        { toolCallId: calls[0]?.toolCallId, settled: { by: { client: "tester" } } },
      ]);
    });
  },
);

test.concurrent.each([
  ["codex", "cancelled"],
  ["opencode", "end_turn"],
  ["qwen", "end_turn"],
  ["copilot", "end_turn"],
  ["claude", "end_turn"],
  ["cline", "end_turn"],
  ["goose", "end_turn"],
])(
  "9, 10: a rejection ends the turn as %s does, leaves no call open, and the next prompt works",
  async (name, stopReason) => {
    await inGateway({ agent: await signedIn(`like-${name}`) }, async (gateway) => {
      const conversation = await opened(gateway);
      const { ended } = await answering(conversation, "write", "reject_once");
      expect(ended.stopReason).toBe(stopReason);
      const [call, ...others] = await itemsOf(conversation.session, "tool-call");
      expect(others).toEqual([]);
      expect(call?.status === "failed" || call?.ended !== null).toBe(true);
      const next = await turn(conversation.session, conversation.watcher, "hello");
      expect(next.stopReason).toBe("end_turn");
    });
  },
);

test.concurrent("9: options are shown as the agent sent them, reject_always too", async () => {
  await inGateway({ agent: await shipped("like-goose") }, async (gateway) => {
    const conversation = await opened(gateway);
    const { ask } = await answering(conversation, "write", "reject_always");
    if (ask.ask !== "permission") throw new Error("not a permission");
    const kinds = ask.options.map(({ kind }) => kind);
    expect(kinds).toEqual(["allow_always", "allow_once", "reject_once", "reject_always"]);
  });
});

test.concurrent.each(["claude", "copilot", "codex"])(
  "10: calls that a cancel leaves open are closed by the gateway (like-%s)",
  async (name) => {
    await inGateway({ agent: await shipped(`like-${name}`) }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await session.prompt("p", text("shell"), "tester");
      await watcher.until(
        "update",
        ({ update }) => update["sessionUpdate"] === "agent_message_chunk",
      );
      await session.cancel("tester");
      expect(await watcher.until("turn-ended")).toMatchObject({ stopReason: "cancelled" });
      expect(await itemsOf(session, "tool-call")).toMatchObject([{ ended: "cancelled" }]);
    });
  },
);

test.concurrent("10: a call that the end of its turn leaves open is unfinished", async () => {
  const steps = [{ tool: { toolCallId: "t", title: "Do", status: "in_progress" } }];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "go");
    expect(await itemsOf(session, "tool-call")).toMatchObject([{ ended: "unfinished" }]);
  });
});

test.concurrent("a cancel during a permission request settles it, and the agent is notified", async () => {
  await inGateway({ agent: await shipped("like-claude") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await session.prompt("p", text("write"), "tester");
    await watcher.until("ask-opened");
    await session.cancel("tester");
    expect(await watcher.until("turn-ended")).toMatchObject({ stopReason: "cancelled" });
    expect((await session.view()).openAsks).toEqual([]);
  });
});

test.concurrent("a question with a page is settled when the agent reports that it is done", async () => {
  const ask = { message: "Sign in", mode: "url", url: "https://a.example/", elicitationId: "e1" };
  const steps = [
    {
      together: [
        [{ ask: { ...ask, on: { accept: [{ say: "signed in" }] } } }],
        [{ wait: 50 }, { askDone: "e1" }],
      ],
    },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    expect(await turn(session, watcher, "go")).toMatchObject({ stopReason: "end_turn" });
    expect(await watcher.until("ask-settled")).toMatchObject({ by: { gateway: "completed" } });
    expect(watcher.said).toBe("signed in");
  });
});
