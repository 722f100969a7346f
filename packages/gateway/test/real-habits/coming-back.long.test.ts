import { expect, test } from "vitest";
import { turn, type Watcher } from "../sessions/scripted-gateway.ts";
import { inGateway, opened, shipped } from "../sessions/marked-gateway.ts";

// Each test is a numbered habit of real agents.

const starts = (watcher: Watcher) =>
  watcher.events.flatMap((event) => (event.kind === "agent-started" ? [event.how] : []));
const heard = (watcher: Watcher) =>
  watcher.events.filter(
    (event) => event.kind === "update" && event.update["sessionUpdate"] === "user_message_chunk",
  );

test.concurrent.each(["before", "after", "first-before", "none"])(
  "2: history that load replays is not duplicated, wherever it comes (%s)",
  async (replay) => {
    const agent = {
      initialize: { agentCapabilities: { loadSession: true } },
      session: { replay },
      turns: [
        {
          steps: [
            { think: "Hm. " },
            { tool: { toolCallId: "t-{{turnId}}", title: "Look", status: "completed" } },
            { say: "Said. " },
          ],
        },
      ],
      whenTurnsRunOut: "last",
    };
    await inGateway({ agent }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      await turn(session, watcher, "one");
      await turn(session, watcher, "two");
      await session.close("tester");
      await turn(session, watcher, "three");
      expect(starts(watcher)).toEqual(["new", "load"]);
      expect(watcher.said).toBe("Said. Said. Said. ");
      const { items } = await session.view();
      expect(items.filter(({ type }) => type === "tool-call")).toHaveLength(3);
      expect(items.filter(({ type }) => type === "prompt")).toHaveLength(3);
    });
  },
);

test.concurrent("2, 5: hidden text is not shown, and a session that its load lost continues with the transcript", async () => {
  await inGateway({ agent: await shipped("like-gemini") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "hello");
    await session.close("tester");
    await turn(session, watcher, "hello again");
    await session.close("tester");
    expect(await turn(session, watcher, "and again")).toMatchObject({ stopReason: "end_turn" });
    expect(starts(watcher)).toEqual(["new", "load", "transcript"]);
    expect(heard(watcher)).toEqual([]);
    expect(watcher.said).toBe("Hello.Hello.Hello.");
  });
});

test.concurrent("15: an agent that resumes a session and then does not know it is restarted in another way", async () => {
  await inGateway({ agent: await shipped("like-qwen") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "hello");
    await session.close("tester");
    expect(await turn(session, watcher, "hello again")).toMatchObject({ stopReason: "end_turn" });
    expect(starts(watcher).slice(0, 2)).toEqual(["new", "resume"]);
    expect(starts(watcher)).toHaveLength(3);
    expect(watcher.said).toBe("Hello.Hello.");
    expect(await turn(session, watcher, "once more")).toMatchObject({ stopReason: "end_turn" });
    await session.close("tester");
    // The failed way is not tried again.
    expect(await turn(session, watcher, "and more")).toMatchObject({ stopReason: "end_turn" });
    expect(starts(watcher)).toHaveLength(4);
    expect(starts(watcher)[3]).not.toBe("resume");
  });
});

test.concurrent("15: if no session can be restored, the transcript is sent as text", async () => {
  const notFound = { code: -32602, message: "Session not found" };
  const agent = {
    initialize: {
      agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
    },
    session: { forgets: "resumed", notFound },
    answers: { "session/load": { error: notFound } },
    turns: [{ match: "/^first$/", steps: [{ say: "one " }] }, { steps: [{ say: "{{prompt}}" }] }],
    whenTurnsRunOut: "last",
  };
  await inGateway({ agent }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "first");
    await session.close("tester");
    expect(await turn(session, watcher, "second")).toMatchObject({ stopReason: "end_turn" });
    expect(starts(watcher)).toEqual(["new", "resume", "transcript"]);
    expect(watcher.said).toMatch(/second$/);
    expect(watcher.events.filter(({ kind }) => kind === "turn-started")).toHaveLength(2);
  });
});

test.concurrent.each([
  ["-32002", { code: -32002, message: "Resource not found" }],
  ["-32602", { code: -32602, message: "Session not found" }],
  ["-32603", { code: -32603, message: "Internal error" }],
  ["accepts any", "accept"],
])("15: load of an id that the agent no longer knows (%s)", async (_name, loadUnknown) => {
  const agent = {
    initialize: { agentCapabilities: { loadSession: true } },
    session: { loadUnknown, forgets: "loaded" },
    turns: [{ steps: [{ say: "on " }] }],
  };
  await inGateway({ agent }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    for (const words of ["one", "two", "three"]) {
      expect(await turn(session, watcher, words)).toMatchObject({ stopReason: "end_turn" });
      await session.close("tester");
    }
    const last = loadUnknown === "accept" ? "load" : "transcript";
    expect(starts(watcher)).toEqual(["new", "load", last]);
    expect(watcher.said).toBe("on on on ");
  });
});
