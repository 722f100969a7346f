import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { SessionView } from "@landline/protocol";
import type { Reply } from "@landline/testing";
import { expect, test } from "vitest";
import { lives, marked, startedWith } from "../agents/test-agent-host.ts";
import { turn, type Watcher } from "../sessions/scripted-gateway.ts";
import { agentContract } from "./agent-contract.ts";
import { goose } from "./goose.ts";
import { answerAsk, begin, eventsOf, RealAgentGateway } from "./real-agent-gateway.ts";

agentContract(goose);

function shell(command: string): Reply {
  return { parts: [{ type: "tool-call", name: "shell", arguments: { command } }] };
}

const outputOf = (watcher: Watcher) =>
  eventsOf(watcher, "terminal-output")
    .map(({ text }) => text)
    .join("");

test("files are written by the gateway, and logged", async () => {
  const lines: Reply[] = [{}, { parts: [{ type: "text", text: "Done." }] }];
  await using gateway = await RealAgentGateway.open(goose, lines);
  const file = path.join(gateway.project, "notes/today.txt");
  lines[0] = { parts: [goose.write(file, "Grüße\n")] };
  const { session, watcher } = await gateway.openSession();
  const { ended } = await begin(session, watcher, "Take a note");
  const { ask } = await answerAsk(session, watcher, "allow_once");
  await ended();
  expect(await fs.readFile(file, "utf8")).toBe("Grüße\n");
  const [written, ...more] = eventsOf(watcher, "file-written");
  expect(written).toMatchObject({ path: file, bytes: 8, via: "disk" });
  expect(more).toEqual([]);
  expect(written?.seq).toBeGreaterThan(ask.seq);
  expect((await session.view()).files).toMatchObject({ writes: 1, touched: [{ path: file }] });
});

test("a command runs in a terminal of the gateway, and the model receives its output", async () => {
  await using gateway = await RealAgentGateway.open(goose, [
    shell("printf 'one\\ntwo\\n' && pwd && exit 3"),
    "It printed two lines.",
  ]);
  const { session, watcher } = await gateway.openSession();
  const { ended } = await begin(session, watcher, "Run it");
  await answerAsk(session, watcher, "allow_once");
  expect(await ended()).toMatchObject({ stopReason: "end_turn" });
  expect(eventsOf(watcher, "terminal-opened")).toMatchObject([{ cwd: gateway.project }]);
  expect(outputOf(watcher)).toBe(`one\ntwo\n${gateway.project}\n`);
  expect(eventsOf(watcher, "terminal-exited")).toMatchObject([{ exitCode: 3, signal: null }]);
  const [result] = gateway.asked[1]?.toolResults ?? [];
  expect(result?.text).toContain("one\ntwo\n");
  expect((await session.view()).terminals).toMatchObject([{ exit: { exitCode: 3 } }]);
});

test("a cancel while a command runs ends the command too", async () => {
  await using gateway = await RealAgentGateway.open(goose, [
    shell("echo begun; exec tail -f /dev/null --pid=$$"),
    "Here I am again.",
  ]);
  const { session, watcher } = await gateway.openSession();
  const { ended } = await begin(session, watcher, "Wait for ever");
  await answerAsk(session, watcher, "allow_once");
  await watcher.until("terminal-output", ({ text }) => text.includes("begun"));
  const [running] = await gateway.running();
  expect(marked(running!.mark).filter(lives)).toHaveLength(2);
  await session.cancel("tester");
  expect(await ended()).toMatchObject({ stopReason: "cancelled" });
  expect(await watcher.until("terminal-exited")).toMatchObject({ signal: expect.any(String) });
  expect(marked(running!.mark).filter(lives)).toEqual([running!.pid]);
  const calls = (await session.view()).items.filter((item) => item.type === "tool-call");
  expect(calls.map(({ status, ended: end }) => end ?? status)).toEqual([
    expect.stringMatching(/^(?:cancelled|failed|completed)$/),
  ]);
  expect(await turn(session, watcher, "Are you there?")).toMatchObject({ stopReason: "end_turn" });
});

test("a detached process of a command ends with the agent", async () => {
  const name = `stray-${process.pid}`;
  const lines: Reply[] = [{}, { parts: [{ type: "text", text: "It runs." }] }];
  await using gateway = await RealAgentGateway.open(goose, lines);
  const up = path.join(gateway.project, "up");
  lines[0] = shell(
    `setsid sh -c 'echo up >${up}; exec tail -f /dev/null ${name}' >/dev/null 2>&1 & ` +
      `until [ -s ${up} ]; do :; done`,
  );
  const { session, watcher } = await gateway.openSession();
  const { ended } = await begin(session, watcher, "Start it");
  await answerAsk(session, watcher, "allow_once");
  await ended();
  expect(startedWith(name)).toHaveLength(1);
  await session.close("tester");
  expect(startedWith(name).filter(lives)).toEqual([]);
});

test("usage, modes, config options, commands and a title are in the view", async () => {
  await using gateway = await RealAgentGateway.open(goose, [
    { parts: [{ type: "text", text: "Hello." }], usage: { inputTokens: 1200, outputTokens: 34 } },
  ]);
  const { session, watcher } = await gateway.openSession();
  const end = await turn(session, watcher, "Hello");
  expect(end.usage).toMatchObject({ inputTokens: 1200, outputTokens: 34, totalTokens: 1234 });
  // It generates the title during the turn, and may finish after its end.
  await watcher.until("update", ({ update }) => "title" in update);
  const view = await session.view();
  expect(view.usage).toMatchObject({ used: 1234, size: expect.any(Number) });
  expect(view.modes).toMatchObject({ currentModeId: "approve" });
  expect(view.configOptions?.map(({ id }) => id)).toEqual([
    "provider",
    "mode",
    "model",
    "thinking_effort",
  ]);
  expect(view.commands.length).toBeGreaterThan(0);
  expect(view.session).toMatchObject({ title: "A title", titleBy: "agent" });
});

test("a mode that does not ask applies until the agent restarts", async () => {
  const lines: Reply[] = [{}, { parts: [{ type: "text", text: "Done." }] }];
  await using gateway = await RealAgentGateway.open(goose, lines);
  const file = path.join(gateway.project, "free.txt");
  lines[0] = { parts: [goose.write(file, "free\n")] };
  const { session, watcher } = await gateway.openSession();
  // It has the mode in two forms, and reports only the requested one.
  await session.setMode("chat", "tester");
  expect(modesOf(await session.view())).toEqual(["chat", "chat"]);
  await session.setConfig("mode", "auto", "tester");
  expect(modesOf(await session.view())).toEqual(["auto", "auto"]);
  await killAgent(gateway, watcher);
  const { ended } = await begin(session, watcher, "Write it");
  await answerAsk(session, watcher, "reject_once");
  await ended();
  await expect(fs.stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  expect(modesOf(await session.view())).toEqual(["approve", "approve"]);
});

test("a restart does not restore a mode that was left", async () => {
  const lines: Reply[] = [{}, { parts: [{ type: "text", text: "Done." }] }];
  await using gateway = await RealAgentGateway.open(goose, lines);
  const file = path.join(gateway.project, "asked.txt");
  lines[0] = { parts: [goose.write(file, "asked\n")] };
  const { session, watcher } = await gateway.openSession();
  await session.setMode("auto", "tester");
  await session.setConfig("mode", "approve", "tester");
  await killAgent(gateway, watcher);
  const { ended } = await begin(session, watcher, "Write it");
  await answerAsk(session, watcher, "reject_once");
  await ended();
  await expect(fs.stat(file)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a prompt during a turn waits for its end", async () => {
  await using gateway = await RealAgentGateway.open(goose, [shell("echo hi"), "One.", "Two."]);
  const { session, watcher } = await gateway.openSession();
  const first = await begin(session, watcher, "First");
  const second = turn(session, watcher, "Second");
  expect((await session.view()).queue).toHaveLength(1);
  await answerAsk(session, watcher, "allow_once");
  expect(await first.ended()).toMatchObject({ stopReason: "end_turn" });
  expect(await second).toMatchObject({ stopReason: "end_turn" });
  expect(watcher.said).toBe("One.Two.");
});

/** As a mode, and as a config option. */
function modesOf({ modes, configOptions }: SessionView): unknown[] {
  return [modes?.currentModeId, configOptions?.find(({ id }) => id === "mode")?.currentValue];
}

async function killAgent(gateway: RealAgentGateway, watcher: Watcher): Promise<void> {
  const [agent] = await gateway.running();
  process.kill(agent!.pid, "SIGKILL");
  await watcher.until("agent-exited");
}
