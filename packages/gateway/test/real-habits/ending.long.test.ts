import { expect, test } from "vitest";
import { text, turn, type ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { inGateway, opened, running, shipped } from "../sessions/marked-gateway.ts";

// Each test is a numbered habit of real agents.

const likes = ["claude", "codex", "copilot", "cline", "goose", "opencode", "qwen", "gemini"];
const signedIn = async (name: string) => ({ ...(await shipped(name)), authentication: undefined });

/** A session whose agent is busy with a command. */
async function busy(gateway: ScriptedGateway) {
  const { session, watcher } = await opened(gateway);
  await session.prompt("p", text("shell"), "tester");
  await watcher.until("update", ({ update }) =>
    /agent_message_chunk|tool_call_update/.test(String(update["sessionUpdate"])),
  );
  return { session, watcher };
}

test.concurrent.each(likes)(
  "16, 17: closing the session of a busy agent leaves no process (like-%s)",
  async (name) => {
    await inGateway({ agent: await signedIn(`like-${name}`) }, async (gateway) => {
      const { session, watcher } = await busy(gateway);
      expect((await running(gateway)).length).toBeGreaterThan(1);
      await session.close("tester");
      expect(await running(gateway)).toEqual([]);
      expect(watcher.kinds.slice(-1)).toEqual(["session-closed"]);
      expect(await watcher.until("turn-ended")).toMatchObject({ stopReason: "cancelled" });
    });
  },
);

test.concurrent.each([
  ["ends on the close of its stdin, late", { stdinClose: { afterMs: 100, code: 0 } }],
  ["never ends by itself", { stdinClose: "stay", sigterm: { afterMs: 0, code: 0 } }],
  ["ends by nothing but SIGKILL", { stdinClose: "stay", sigterm: "stay" }],
])("16: an agent that %s", async (_name, process) => {
  const steps = [{ spawn: { forMs: 20_000, detached: true, ignoresSigterm: true } }];
  await inGateway({ agent: { process, turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await turn(session, watcher, "go");
    expect(await running(gateway)).toHaveLength(2);
    await session.close("tester");
    expect(await running(gateway)).toEqual([]);
    expect(await turn(session, watcher, "again")).toMatchObject({ stopReason: "end_turn" });
  });
});

test.concurrent("17: a killed agent leaves no tool running, and its turn fails with a message", async () => {
  const steps = [
    { spawn: { forMs: 20_000, detached: true } },
    { createTerminal: { command: "sleep 20; true" } },
    { stderr: "about to die" },
    { say: "last words" },
    { crash: { signal: "SIGKILL" } },
  ];
  await inGateway(
    { agent: { turns: [{ match: "/^die$/", steps }, { steps: [] }] } },
    async (gateway) => {
      const { session, watcher } = await opened(gateway);
      expect(await turn(session, watcher, "die")).toMatchObject({
        stopReason: "failed",
        error: { code: "agent-exited", message: expect.stringContaining("SIGKILL") as string },
      });
      expect(watcher.said).toBe("last words");
      await watcher.until("terminal-exited");
      expect(await running(gateway)).toEqual([]);
      expect(await turn(session, watcher, "next")).toMatchObject({ stopReason: "end_turn" });
    },
  );
});

test.concurrent("11: terminals that a turn left running end with it", async () => {
  await inGateway({ agent: await shipped("like-goose") }, async (gateway) => {
    const { session, watcher } = await busy(gateway);
    await watcher.until("terminal-opened");
    await session.cancel("tester");
    expect(await watcher.until("turn-ended")).toMatchObject({ stopReason: "cancelled" });
    await watcher.until("terminal-exited");
    // The agent alone.
    expect(await running(gateway)).toHaveLength(1);
    expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
  });
});

test.concurrent("11: a command of the agent itself outlives the cancel, and ends with the agent", async () => {
  await inGateway({ agent: await shipped("like-codex") }, async (gateway) => {
    const { session, watcher } = await busy(gateway);
    await session.cancel("tester");
    await watcher.until("turn-ended");
    expect(await running(gateway)).toHaveLength(2);
    expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
    await session.close("tester");
    expect(await running(gateway)).toEqual([]);
  });
});

test.concurrent.each([
  ["a whole command line, as goose", { command: "echo a | tr a b && echo $((1+1))" }, "b\n2\n"],
  [
    "a shell with its arguments, as kimi",
    { command: "/bin/bash", args: ["-c", "echo b; echo 2"] },
    "b\n2\n",
  ],
  ["a program with arguments", { command: "printf", args: ["%s\\n", "b 2"] }, "b 2\n"],
])("14: %s", async (_name, command, output) => {
  const steps = [
    { createTerminal: command },
    { waitForExit: { expect: { exitCode: 0 } } },
    { terminalOutput: { expect: { output, truncated: false } } },
    { releaseTerminal: {} },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    expect(await turn(session, watcher, "go")).toMatchObject({ stopReason: "end_turn" });
    // Without its own folder, it runs in the session's.
    expect(await watcher.until("terminal-opened")).toMatchObject({ cwd: gateway.project });
  });
});

test.concurrent("14: terminal/kill ends the command, not only its shell", async () => {
  const steps = [
    { createTerminal: { command: "sleep 20 & sleep 20; true" } },
    { killTerminal: {} },
    { waitForExit: {} },
    { say: "killed" },
    { permission: { toolCall: { toolCallId: "t" } } },
  ];
  await inGateway({ agent: { turns: [{ steps }] } }, async (gateway) => {
    const { session, watcher } = await opened(gateway);
    await session.prompt("p", text("go"), "tester");
    await watcher.until("ask-opened");
    expect(await running(gateway)).toHaveLength(1);
    await session.cancel("tester");
    await watcher.until("turn-ended");
  });
});
