import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { Reply } from "@landline/testing";
import { expect, test } from "vitest";
import { lives, marked } from "../agents/test-agent-host.ts";
import { turn } from "../sessions/scripted-gateway.ts";
import { agentContract } from "./agent-contract.ts";
import { landline } from "./landline.ts";
import { answerAsk, begin, eventsOf, RealAgentGateway } from "./real-agent-gateway.ts";

agentContract(landline);

function call(name: string, input: Record<string, unknown>): Reply {
  return { parts: [{ type: "tool-call", name, arguments: JSON.stringify(input) }] };
}

test("files are read and written by the gateway, and logged", async () => {
  await using gateway = await RealAgentGateway.open(landline, [
    call("edit", { filePath: "poem.txt", oldString: "red", newString: "blue" }),
    "Done.",
  ]);
  const file = path.join(gateway.project, "poem.txt");
  await fs.writeFile(file, "Roses are red\n");
  const { session, watcher } = await gateway.openSession();
  const { ended } = await begin(session, watcher, "Make them blue");
  const { ask } = await answerAsk(session, watcher, "allow_once");
  await ended();
  expect(await fs.readFile(file, "utf8")).toBe("Roses are blue\n");
  expect(ask.ask === "permission" && ask.toolCall.content).toMatchObject([
    { type: "diff", path: file, oldText: "Roses are red\n", newText: "Roses are blue\n" },
  ]);
  const [written, ...more] = eventsOf(watcher, "file-written");
  expect(written).toMatchObject({ path: file, bytes: 15, via: "disk" });
  expect(more).toEqual([]);
  expect(written?.seq).toBeGreaterThan(ask.seq);
});

test("a command runs in a terminal of the gateway; a cancel ends it", async () => {
  await using gateway = await RealAgentGateway.open(landline, [
    call("bash", { command: "echo begun; exec tail -f /dev/null", description: "Wait" }),
    "Here I am again.",
  ]);
  const { session, watcher } = await gateway.openSession();
  const { ended } = await begin(session, watcher, "Wait for ever");
  await answerAsk(session, watcher, "allow_once");
  await watcher.until("terminal-output", ({ text }) => text.includes("begun"));
  await session.cancel("tester");
  expect(await ended()).toMatchObject({ stopReason: "cancelled" });
  expect(await watcher.until("terminal-exited")).toMatchObject({ signal: expect.any(String) });
  const [running] = await gateway.running();
  expect(marked(running!.mark).filter(lives)).toEqual([running!.pid]);
  expect(await turn(session, watcher, "Are you there?")).toMatchObject({ stopReason: "end_turn" });
});

test("a subagent's request is asked on the session that people see, and can be answered there", async () => {
  await using gateway = await RealAgentGateway.open(landline, [
    call("task", {
      description: "Write it",
      prompt: "Write poem.txt",
      subagent_type: "general",
    }),
    call("write", { filePath: "poem.txt", content: "Roses are red\n" }),
    "It is written.",
    "The helper wrote it.",
  ]);
  const { session, watcher } = await gateway.openSession();
  const { ended } = await begin(session, watcher, "Have it written");
  await answerAsk(session, watcher, "allow_once");
  expect(await ended()).toMatchObject({ stopReason: "end_turn" });
  expect(await fs.readFile(path.join(gateway.project, "poem.txt"), "utf8")).toBe("Roses are red\n");
  expect(watcher.said).toContain("The helper wrote it.");
  expect((await session.view()).unknownCount).toBe(0);
});

test("usage, modes, config options, commands and a title are in the view", async () => {
  await using gateway = await RealAgentGateway.open(landline, [
    { parts: [{ type: "text", text: "Hello." }], usage: { inputTokens: 1200, outputTokens: 34 } },
  ]);
  const { session, watcher } = await gateway.openSession();
  const end = await turn(session, watcher, "Hello");
  expect(end.usage).toMatchObject({ inputTokens: 1200, outputTokens: 34, totalTokens: 1234 });
  // It generates the title during the turn, and may finish after its end.
  await watcher.until("update", ({ update }) => "title" in update);
  const view = await session.view();
  expect(view.usage).toMatchObject({ used: 1234, size: 200_000 });
  expect(view.modes).toMatchObject({ currentModeId: "build" });
  expect(view.configOptions?.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["mode", "model"]),
  );
  expect(view.commands?.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["undo", "compact"]),
  );
  expect(view.session).toMatchObject({ title: "A title", titleBy: "agent" });
});
