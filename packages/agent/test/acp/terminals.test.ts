import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { unconfined, Visit } from "./connected-client.ts";

const environment = unconfined;

test("a command runs in the client's terminal, as a program that a shell-less client can start", async () => {
  await using visit = await Visit.make("execvp", { environment });
  const { sessionId } = await visit.persona.open(visit.cwd);
  const line = "touch made && echo one two | tr a-z A-Z";
  await visit.persona.prompt(sessionId, `run ${line}`);
  const [created] = visit.persona.terminals.created;
  expect(created).toMatchObject({ sessionId, cwd: visit.cwd });
  expect(created?.command).not.toContain(" ");
  expect(visit.persona.permissions).toMatchObject([
    { toolCall: { kind: "execute", rawInput: { command: line } } },
  ]);
  const ended = visit.updates("tool_call_update").at(-1);
  expect(ended).toMatchObject({ status: "completed", content: [{ type: "terminal" }] });
  expect(JSON.stringify(ended?.["rawOutput"])).toContain("ONE TWO");
  expect(visit.persona.terminals.open).toBe(0);
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("a command that only reads runs there without a question, and without code of the repository", async () => {
  await using visit = await Visit.make("execvp", { environment });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "run echo one two | tr a-z A-Z");
  expect(visit.persona.permissions).toEqual([]);
  expect(visit.persona.terminals.created[0]?.env).toEqual(
    expect.arrayContaining([{ name: "GIT_PAGER", value: "cat" }]),
  );
});

test("shown again, what ran in a terminal is text", async () => {
  await using visit = await Visit.make("strict", { environment });
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "run echo apples");
  const before = visit.persona.wire.updates().length;
  await visit.persona.load(sessionId, visit.cwd);
  const shown = JSON.stringify(visit.persona.wire.updates().slice(before));
  expect(shown).not.toContain('"type":"terminal"');
  expect(shown).toContain("apples");
  expect(visit.persona.wire.faults()).toEqual([]);
});

test("cancelling kills what runs there, and lets the terminal go", async () => {
  await using visit = await Visit.make("execvp", { environment });
  const { sessionId } = await visit.persona.open(visit.cwd);
  const turn = visit.persona.prompt(sessionId, "run sleep 600");
  await visit.persona.wire.until((message) => message["method"] === "terminal/create");
  await visit.persona.cancel(sessionId);
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  await visit.persona.agent.request("session/close", { sessionId });
  expect(visit.persona.terminals.open).toBe(0);
});

test("who offers no terminal gets the output as it comes", async () => {
  await using visit = await Visit.make("bare");
  const { sessionId } = await visit.persona.open(visit.cwd);
  await visit.persona.prompt(sessionId, "run echo apples");
  const ended = visit.updates("tool_call_update").at(-1);
  expect(ended).toMatchObject({ status: "completed" });
  expect(JSON.stringify(ended?.["content"])).toContain("apples");
});

test.skipIf(isSkipped)(
  "a confined command runs on the agent's machine, and outside of the sandbox in the client's terminal",
  async () => {
    const line = "cat ../hidden.txt 2>&1 | cat; test ! -e ../hidden.txt && cat ../hidden.txt";
    await using visit = await Visit.make("execvp", {
      files: { "act.sh": line },
      script: [
        { calls: [{ tool: "bash", input: { command: "ls" } }] },
        { calls: [{ tool: "bash", input: { command: "sh act.sh" } }] },
        { say: "Done." },
      ],
    });
    await writeFile(join(visit.home, "hidden.txt"), "apples");
    const { persona } = visit;
    const { sessionId } = await persona.open(visit.cwd);
    const level = { sessionId, configId: "permissions", value: "sandboxed" };
    await persona.agent.request("session/set_config_option", level);
    persona.answerPermission = () => "outside";
    await persona.prompt(sessionId, "go");
    expect(persona.permissions).toHaveLength(1);
    expect(persona.terminals.created).toHaveLength(1);
    const ended = visit
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
