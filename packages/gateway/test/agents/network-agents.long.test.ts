import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { scriptedAgentCommand } from "@landline/testing";
import { describe, expect, test } from "vitest";
import { ScriptedGateway, turn, Watcher } from "../sessions/scripted-gateway.ts";

const token = "secret-of-the-agent";

const scenario = {
  about: "An agent at an address.",
  initialize: { agentCapabilities: { loadSession: true } },
  turns: [
    { match: "wait", steps: [{ say: "Working" }, { wait: 600_000 }] },
    { match: "flood", steps: [{ repeat: { times: 2_000, steps: [{ say: "x".repeat(500) }] } }] },
    {
      match: "write",
      steps: [
        { writeFile: { path: "{{cwd}}/notes.md", content: "written" } },
        { permission: { toolCall: { toolCallId: "t", title: "Go on" } } },
        { say: "Done." },
      ],
    },
    { match: "hello", steps: [{ say: "Hello " }, { say: "yourself." }] },
  ],
};

/** The scripted agent behind the SDK's own server of Streamable HTTP and WebSocket. */
async function agentAt(folder: string, port = 0) {
  const file = path.join(folder, "remote.json");
  await fs.writeFile(file, JSON.stringify(scenario));
  const state = path.join(folder, "remote-state");
  const { command, args } = scriptedAgentCommand(file, { state });
  const web = ["--port", String(port), "--web", "--token", token];
  const child = spawn(command, [...args, ...web], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const bound = (JSON.parse(line.toString()) as { port: number }).port;
  return {
    port: bound,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A gateway without agents; they are added when their port is known. */
const empty = () => ScriptedGateway.open({}, { restartDelayMs: 100, restartDelayMsMax: 200 });

async function restartWith(
  gateway: ScriptedGateway,
  endpoint: string,
  given = token,
): Promise<void> {
  await gateway.stop();
  await gateway.start({ agents: [{ id: "far", endpoint, token: given }] });
}

describe.each(["ws", "http"])("an agent at %s://", (scheme) => {
  test("works like any other: files, permissions, and every update in order", async () => {
    await using gateway = await empty();
    await using agent = await agentAt(gateway.folder);
    await restartWith(gateway, `${scheme}://127.0.0.1:${agent.port}/acp`);
    const session = await gateway.openSession("far");
    using watcher = new Watcher(session);
    const writing = turn(session, watcher, "write");
    const { askId } = await watcher.until("ask-opened");
    await session.answer(askId, { outcome: "selected", optionId: "allow" }, "tester");
    expect(await writing).toMatchObject({ stopReason: "end_turn" });
    expect(await fs.readFile(path.join(gateway.project, "notes.md"), "utf8")).toBe("written");
    await turn(session, watcher, "flood");
    expect(watcher.events.filter(({ kind }) => kind === "update")).toHaveLength(2_001);
    const log = await fs.readFile(
      path.join(gateway.data, "sessions", session.id, "000000000001.ndjson"),
      "utf8",
    );
    expect(log).not.toContain(token);
  });

  test("is dialled again when it was lost: the cut turn is reported, and the session continues", async () => {
    await using gateway = await empty();
    let agent = await agentAt(gateway.folder);
    const { port } = agent;
    await restartWith(gateway, `${scheme}://127.0.0.1:${port}/acp`);
    const session = await gateway.openSession("far");
    using watcher = new Watcher(session);
    await turn(session, watcher, "hello");
    const cut = turn(session, watcher, "wait");
    await watcher.until("update", ({ update }) => JSON.stringify(update).includes("Working"));
    await agent[Symbol.asyncDispose]();
    expect(await cut).toMatchObject({ stopReason: "failed", error: { code: "agent-exited" } });
    // Nothing listens there now.
    const next = turn(session, watcher, "hello");
    agent = await agentAt(gateway.folder, port);
    expect(await next).toMatchObject({ stopReason: "end_turn" });
    const starts = watcher.events.filter((event) => event.kind === "agent-started");
    expect(starts.map(({ how }) => how)).toEqual(["new", "load"]);
    await gateway.stop();
    await agent[Symbol.asyncDispose]();
  });

  test("that can't be reached, or refuses the token, is reported with its address", async () => {
    await using gateway = await empty();
    await using agent = await agentAt(gateway.folder);
    const endpoint = `${scheme}://127.0.0.1:${agent.port}/acp`;
    await restartWith(gateway, endpoint, "wrong-token");
    await expect(gateway.openSession("far")).rejects.toMatchObject({
      code: "agent-start-failed",
      message: `far could not be reached at ${endpoint}: it wants another token (HTTP 401).`,
    });
    await agent[Symbol.asyncDispose]();
    await restartWith(gateway, endpoint);
    await expect(gateway.openSession("far")).rejects.toMatchObject({
      code: "agent-start-failed",
      message: `far could not be reached at ${endpoint}: nothing listens there.`,
    });
  });
});

test("a gateway is an agent of another gateway", async () => {
  await using inner = await ScriptedGateway.open({ agent: scenario });
  await using outer = await empty();
  const { url, token: given } = inner;
  await restartWith(outer, `${url.replace("http", "ws")}/acp?agent=agent`, given);
  const session = await outer.openSession("far");
  using watcher = new Watcher(session);
  expect(await turn(session, watcher, "hello")).toMatchObject({ stopReason: "end_turn" });
  expect(watcher.said).toBe("Hello yourself.");
  // The inner gateway restarts under the same address, and the outer one resumes its session.
  const { port } = inner;
  await inner.stop();
  const next = turn(session, watcher, "hello");
  await inner.start({ port });
  expect(await next).toMatchObject({ stopReason: "end_turn" });
  expect(watcher.said).toBe("Hello yourself.Hello yourself.");
});
