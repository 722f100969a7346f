import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { shippedScenario } from "@landline/testing";
import { expect, test } from "vitest";
import {
  Heard,
  lives,
  marked,
  prompt,
  spawnChildren,
  TestAgentHost,
  startedWith,
} from "./test-agent-host.ts";

test("an agent that ends at the close of its stdin is not signalled", async () => {
  await using stage = await TestAgentHost.open({ limits: { agentInputMs: 20_000 } });
  const heard = new Heard();
  const agent = await stage.start(stage.entry("hello"), heard);
  expect(await agent.stop()).toEqual({ code: 0, signal: null, stderr: "" });
  expect(heard.closes).toBe(1);
  expect(marked(agent.mark)).toEqual([]);
});

test("an agent that handles SIGTERM ends after stdin is closed", async () => {
  await using stage = await TestAgentHost.open({ limits: { agentTermMs: 20_000 } });
  const agent = await stage.start(
    stage.entry({ process: { stdinClose: "stay", sigterm: { code: 7 } } }),
  );
  expect(await agent.stop()).toMatchObject({ code: 7, signal: null });
});

test("an agent that ignores all signals is killed with everything that it started", async () => {
  await using stage = await TestAgentHost.open();
  const heard = new Heard();
  const agent = await stage.start(stage.entry("stubborn"), heard);
  const children = await spawnChildren(agent, heard, stage.folder);
  expect(children).toHaveLength(3);
  expect(children.filter(lives)).toEqual(children);
  expect(marked(agent.mark)).toHaveLength(4);
  expect(await agent.stop()).toMatchObject({ code: null, signal: "SIGKILL" });
  expect(marked(agent.mark)).toEqual([]);
  expect(children.filter(lives)).toEqual([]);
});

test("processes that a child started without the mark end with it", async () => {
  await using stage = await TestAgentHost.open();
  const heard = new Heard();
  // The shell has its own session, and its children have an empty environment.
  const script =
    "setsid sh -c 'env -i sleep 30 & echo $! >&2; wait' & cat >/dev/null & " +
    'read line; printf \'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\\n\'; wait';
  const entry = stage.entry("hello", { command: "/bin/sh", args: ["-c", script] });
  const agent = await stage.start(entry, heard);
  await expect.poll(() => agent.stderr()).toMatch(/^\d+\n$/);
  const hidden = Number(agent.stderr());
  expect(lives(hidden)).toBe(true);
  await agent.stop();
  expect(lives(hidden)).toBe(false);
});

/** An agent that has answered, and hides a process before it waits for a line. */
const hiding = (time: string, then: string) =>
  `read line; printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\\n'; ` +
  `env -i setsid -f sleep ${time} >/dev/null 2>&1; until pgrep -f '^sleep ${time}' >/dev/null; do :; done; ` +
  `echo hidden >&2; ${then}`;

test.each([
  ["is stopped", "cat >/dev/null", { code: 0, signal: null }],
  [
    "must be killed",
    "trap '' TERM; while :; do sleep 0.1; done",
    { code: null, signal: "SIGKILL" },
  ],
  ["ends by itself", "exit 8", { code: 8, signal: null }],
  ["dies of a signal", "kill -ABRT $$", { code: null, signal: "SIGABRT" }],
] as const)("a hidden process of an agent is ended when it %s", async (_how, then, exit) => {
  await using stage = await TestAgentHost.open();
  const time = `3600.${process.pid}`;
  const args = ["-c", hiding(time, then)];
  const agent = await stage.start(stage.entry("hello", { command: "/bin/bash", args }));
  await expect.poll(() => agent.stderr()).toBe("hidden\n");
  if (then.startsWith("cat") || then.startsWith("trap")) await agent.stop();
  expect(await agent.exited).toEqual({ ...exit, stderr: "hidden\n" });
  expect(startedWith(time)).toEqual([]);
});

test("killing the supervisor ends its agent", async () => {
  await using stage = await TestAgentHost.open();
  const agent = await stage.start(stage.entry("hello"));
  const [pid = 0] = marked(agent.mark);
  const parent = Number(/\) \S+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]);
  expect(startedWith("landline supervisor")).toContain(parent);
  process.kill(parent, "SIGKILL");
  expect(await agent.exited).toMatchObject({ signal: "SIGKILL" });
  await expect.poll(() => lives(pid)).toBe(false);
});

test("a crash leaves no processes behind, even if they hold the pipes", async () => {
  await using stage = await TestAgentHost.open();
  const heard = new Heard();
  const agent = await stage.start(
    stage.entry({
      turns: [
        {
          steps: [
            { spawn: { forMs: 20_000, detached: true, holdsOutput: true } },
            { say: "the last word" },
            { stderr: "and a reason" },
            { crash: 9 },
          ],
        },
      ],
    }),
    heard,
  );
  const { turn } = await prompt(agent, stage.folder, "go");
  await expect(turn).rejects.toMatchObject({ code: "connection-lost" });
  expect(await agent.exited).toEqual({ code: 9, signal: null, stderr: "and a reason\n" });
  expect(heard.text).toBe("the last word");
  // There is nothing left to stop, and the exit is known.
  expect(await agent.stop()).toMatchObject({ code: 9 });
  expect(marked(agent.mark)).toEqual([]);
});

test("the exit of a killed agent names the signal", async () => {
  await using stage = await TestAgentHost.open();
  const agent = await stage.start(stage.entry("crash"));
  const { turn } = await prompt(agent, stage.folder, "signal");
  await expect(turn).rejects.toMatchObject({ code: "connection-lost" });
  expect(await agent.exited).toMatchObject({ code: null, signal: "SIGKILL" });
});

test("stop is idempotent, and all callers wait for it", async () => {
  await using stage = await TestAgentHost.open();
  const heard = new Heard();
  const agent = await stage.start(stage.entry("stubborn"), heard);
  const [first, second] = await Promise.all([agent.stop(), agent.stop()]);
  expect(second).toBe(first);
  expect(await agent.stop()).toBe(first);
  expect(heard.closes).toBe(1);
});

test("output after the close of stdin is still read", async () => {
  await using stage = await TestAgentHost.open({ limits: { agentInputMs: 20_000 } });
  const heard = new Heard();
  const agent = await stage.start(
    stage.entry({
      process: { stdinClose: { afterMs: 500 } },
      turns: [{ steps: [{ say: "a" }, { wait: 200 }, { say: "b" }] }],
    }),
    heard,
  );
  await prompt(agent, stage.folder, "go");
  await heard.until((text) => text === "a");
  await agent.stop();
  expect(heard.text).toBe("ab");
});

test("an agent whose output is not read still ends", async () => {
  await using stage = await TestAgentHost.open({ limits: { agentDrainMs: 100 } });
  const heard = new Heard();
  const agent = await stage.start(stage.entry("flood"), heard);
  await prompt(agent, stage.folder, "go");
  await heard.until((text) => text !== "");
  agent.connection.hold("a test");
  await agent.stop();
  expect(heard.closes).toBe(1);
  expect(marked(agent.mark)).toEqual([]);
});

test("closing the host ends all agents, including starting ones, and refuses new ones", async () => {
  const stage = await TestAgentHost.open();
  const heard = new Heard();
  const stubborn = await stage.start(stage.entry("stubborn"), heard);
  const calm = await stage.start(stage.entry("hello"));
  await spawnChildren(stubborn, heard, stage.folder);
  const starting = stage.start(stage.entry({ answers: { initialize: { never: true } } }));
  const [refusal] = await Promise.allSettled([starting, stage.host.close()]);
  expect(refusal).toMatchObject({ reason: { code: "agent-start-failed" } });
  expect(startedWith(stage.folder)).toEqual([]);
  for (const { mark } of [stubborn, calm]) expect(marked(mark)).toEqual([]);
  await expect(stage.start(stage.entry("hello"))).rejects.toThrow("The gateway is shutting down");
  expect(await readFile(join(stage.folder, "agents.ndjson"), "utf8")).toBe("");
  await stage[Symbol.asyncDispose]();
});

test("closing the host signals no agent that ends at the close of its stdin", async () => {
  await using stage = await TestAgentHost.open({ limits: { shutdownInputMs: 20_000 } });
  const agent = await stage.start(stage.entry("hello"));
  await stage.host.close();
  expect(await agent.exited).toMatchObject({ code: 0, signal: null });
});

test("output before a crash is read, even if reading was paused", async () => {
  await using stage = await TestAgentHost.open({ limits: { agentDrainMs: 20_000 } });
  const heard = new Heard();
  const agent = await stage.start(
    stage.entry({ turns: [{ steps: [{ flood: { count: 100, bytes: 1_000 } }, { crash: 9 }] }] }),
    heard,
  );
  const { sessionId } = (await agent.connection.request("session/new", {
    cwd: stage.folder,
    mcpServers: [],
  })) as { sessionId: string };
  // More than a stream buffers, so that some of it is still in the pipe when the agent exits.
  agent.connection.hold("a test");
  agent.connection.call("session/prompt", { sessionId, prompt: [] }, {}, () => {});
  await agent.exited;
  expect(heard.text.length).toBe(100 * 1_000);
});

test("closing right after an exit waits until all processes have ended", async () => {
  await using stage = await TestAgentHost.open();
  const agent = await stage.start(
    stage.entry({
      turns: [{ steps: [{ spawn: { forMs: 20_000, detached: true } }, { crash: 9 }] }],
    }),
  );
  await prompt(agent, stage.folder, "go");
  await agent.exited;
  await stage.host.close();
  expect(marked(agent.mark)).toEqual([]);
});

test("closing before the first output of a process ends it", async () => {
  let closing: Promise<void> | undefined;
  const environment: Record<string, string> = { ...(process.env as Record<string, string>) };
  // It is read right before the process is started.
  Object.defineProperty(environment, "CLOSES", {
    enumerable: true,
    get: () => {
      closing ??= stage.host.close();
      return "now";
    },
  });
  await using stage = await TestAgentHost.open({ host: { environment } });
  await expect(stage.start(stage.entry("hello"))).rejects.toThrow("The gateway is shutting down");
  await closing;
  expect(startedWith(shippedScenario("hello"))).toEqual([]);
});

test("closing shortens the timeouts of an agent that is being stopped", async () => {
  await using stage = await TestAgentHost.open({
    limits: { agentInputMs: 60_000, shutdownInputMs: 200, shutdownTermMs: 200 },
  });
  const agent = await stage.start(stage.entry("stubborn"));
  const stopping = agent.stop();
  await stage.host.close();
  expect(await stopping).toMatchObject({ signal: "SIGKILL" });
});

test("fifty agents that ignore signals end together with everything that they started", async () => {
  await using stage = await TestAgentHost.open();
  // They ignore the close of stdin and SIGTERM, and have a child in its own session.
  const script =
    "trap '' TERM; setsid sleep 300 & " +
    'read line; printf \'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\\n\'; ' +
    "while :; do sleep 300; done";
  const entry = stage.entry("hello", { command: "/bin/sh", args: ["-c", script] });
  const agents = await Promise.all(Array.from({ length: 50 }, () => stage.start(entry)));
  // Marks of one host start with the same text.
  const started = () => marked(agents[0]!.mark.replace(/\.\d+$/, "."));
  await expect.poll(() => started().length).toBe(150);
  await stage.host.close();
  expect(started()).toEqual([]);
  for (const { exited } of agents) expect(await exited).toMatchObject({ signal: "SIGKILL" });
  expect(await readFile(join(stage.folder, "agents.ndjson"), "utf8")).toBe("");
});
