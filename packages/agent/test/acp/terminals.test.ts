import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { unconfined, ConnectedClient } from "./connected-client.ts";

const environment = unconfined;

test("a command runs in the client's terminal, as a program that a client without a shell can start", async () => {
  await using client = await ConnectedClient.make("execvp", { environment });
  const { sessionId } = await client.persona.open(client.cwd);
  const line = "touch made && echo one two | tr a-z A-Z";
  await client.persona.prompt(sessionId, `run ${line}`);
  const [created] = client.persona.terminals.created;
  expect(created).toMatchObject({ sessionId, cwd: client.cwd });
  expect(created?.command).not.toContain(" ");
  expect(client.persona.permissions).toMatchObject([
    { toolCall: { kind: "execute", rawInput: { command: line } } },
  ]);
  const ended = client.updates("tool_call_update").at(-1);
  expect(ended).toMatchObject({ status: "completed", content: [{ type: "terminal" }] });
  expect(JSON.stringify(ended?.["rawOutput"])).toContain("ONE TWO");
  expect(client.persona.terminals.open).toBe(0);
  expect(client.persona.wire.faults()).toEqual([]);
});

test("a reading command runs there without permission, and without code of the repository", async () => {
  await using client = await ConnectedClient.make("execvp", { environment });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "run echo one two | tr a-z A-Z");
  expect(client.persona.permissions).toEqual([]);
  expect(client.persona.terminals.created[0]?.env).toEqual(
    expect.arrayContaining([{ name: "GIT_PAGER", value: "cat" }]),
  );
});

test("the replay of a terminal is text", async () => {
  await using client = await ConnectedClient.make("strict", { environment });
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "run echo apples");
  const before = client.persona.wire.updates().length;
  await client.persona.load(sessionId, client.cwd);
  const shown = JSON.stringify(client.persona.wire.updates().slice(before));
  expect(shown).not.toContain('"type":"terminal"');
  expect(shown).toContain("apples");
  expect(client.persona.wire.faults()).toEqual([]);
});

test("cancelling kills the command and releases the terminal", async () => {
  await using client = await ConnectedClient.make("execvp", { environment });
  const { sessionId } = await client.persona.open(client.cwd);
  const turn = client.persona.prompt(sessionId, "run sleep 600");
  await client.persona.wire.until((message) => message["method"] === "terminal/create");
  await client.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  await client.persona.agent.request("session/close", { sessionId });
  expect(client.persona.terminals.open).toBe(0);
});

test("a client without terminals receives the output while the command runs", async () => {
  await using client = await ConnectedClient.make("bare");
  const { sessionId } = await client.persona.open(client.cwd);
  await client.persona.prompt(sessionId, "run echo apples");
  const ended = client.updates("tool_call_update").at(-1);
  expect(ended).toMatchObject({ status: "completed" });
  expect(JSON.stringify(ended?.["content"])).toContain("apples");
});

test.skipIf(isSkipped)(
  "a confined command runs on the agent's machine, and outside the sandbox in the client's terminal",
  async () => {
    const line = "cat ../hidden.txt 2>&1 | cat; test ! -e ../hidden.txt && cat ../hidden.txt";
    await using client = await ConnectedClient.make("execvp", {
      files: { "act.sh": line },
      script: [
        { calls: [{ tool: "bash", input: { command: "ls" } }] },
        { calls: [{ tool: "bash", input: { command: "sh act.sh" } }] },
        { say: "Done." },
      ],
    });
    await writeFile(join(client.home, "hidden.txt"), "apples");
    const { persona } = client;
    const { sessionId } = await persona.open(client.cwd);
    const level = { sessionId, configId: "permissions", value: "sandboxed" };
    await persona.agent.request("session/set_config_option", level);
    persona.answerPermission = () => "outside";
    await persona.prompt(sessionId, "go");
    expect(persona.permissions).toHaveLength(1);
    expect(persona.terminals.created).toHaveLength(1);
    const ended = client
      .updates("tool_call_update")
      .filter(({ status }) => status !== "in_progress");
    expect(JSON.stringify(ended.at(-1)?.["rawOutput"])).toContain("apples");
    expect(ended.at(-1)).toMatchObject({
      content: [{ type: "terminal" }],
      _meta: { landline: { execution: { confinement: null, approval: { by: "person" } } } },
    });
    expect(persona.wire.faults()).toEqual([]);
  },
);
