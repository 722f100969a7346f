import { expect, test } from "vitest";
import { turn } from "../sessions/scripted-gateway.ts";
import { inGateway, opened, shipped } from "../sessions/marked-gateway.ts";

// Each test is a numbered habit of real agents.

test.concurrent("1: updates before the response of session/new belong to the session", async () => {
  await inGateway({ agent: await shipped("like-copilot") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "hello");
    const early = watcher.events.filter(
      (event) =>
        event.kind === "update" && event.update["sessionUpdate"] === "available_commands_update",
    );
    expect(early).toHaveLength(1);
    expect(early[0]).not.toHaveProperty("child");
    expect((await session.view()).commands).toMatchObject([{ name: "usage" }]);
    expect((await session.view()).subagents).toEqual([]);
  });
});

test.concurrent.each(["like-claude", "like-codex"])(
  "1: a private notification before the response passes (%s)",
  async (name) => {
    await inGateway({ agent: await shipped(name) }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
      expect(watcher.said).toBe("Hello.");
      expect(watcher.kinds).not.toContain("agent-noise");
      expect(watcher.kinds).not.toContain("error");
    });
  },
);

test.concurrent("6: a line of half a megabyte is logged, displayed, and noted once", async () => {
  await inGateway({ agent: await shipped("like-qwen") }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "hello");
    expect((await session.view()).commands).toMatchObject([{ name: "status" }]);
    const errors = watcher.events.filter(({ kind }) => kind === "error");
    expect(errors).toMatchObject([{ code: "message-too-large" }]);
    expect(watcher.kinds).not.toContain("agent-noise");
    expect(watcher.said).toBe("Hello.");
  });
});

test.concurrent("7: methods in no schema are answered, and notifications pass", async () => {
  const refused = { error: { code: -32601, data: { reason: "method-not-found" } } };
  const sessionId = "{{sessionId}}";
  const steps = [
    { request: { method: "craft/drainMidTurnQueue", params: { sessionId }, expect: refused } },
    { request: { method: "_vendor/thing", expect: refused } },
    { notify: { method: "qwen/notify/session/mode-update", params: { sessionId } } },
    { notify: { method: "_auth/status_update", params: { authStatus: {} } } },
    { notify: { method: "$/cancel_request", params: { requestId: "nobody's" } } },
    { notify: { method: "$/progress" } },
    { say: "still here" },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    expect(await turn(session, watcher, "go")).toMatchObject({ stopReason: "end_turn" });
    expect(watcher.said).toBe("still here");
    expect(watcher.kinds).not.toContain("agent-noise");
  });
});

test.concurrent.each(["numbers", "uuids"])(
  "18: ids of the agent's requests may clash with the gateway's (%s)",
  async (requestIds) => {
    const read = { readFile: { path: "{{cwd}}/none", expect: { error: { code: -32002 } } } };
    const steps = [{ together: [[read], [read], [read], [read]] }, { say: "all four" }];
    await inGateway({ agent: { requestIds, turns: [{ steps }] } }, async (gateway) => {
      const { session, watcher } = await opened(gateway);
      for (const words of ["one", "two"])
        expect(await turn(session, watcher, words)).toMatchObject({ stopReason: "end_turn" });
      expect(watcher.said).toBe("all fourall four");
      expect(watcher.kinds).not.toContain("agent-noise");
    });
  },
);
