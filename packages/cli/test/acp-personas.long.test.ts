import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Persona, type PersonaName } from "@landline/testing";
import { expect, it } from "vitest";
import { Home } from "./landline.ts";

const toolCall = { toolCallId: "w1", title: "Count the words", kind: "edit" };

const scenario = {
  about: "One turn that asks for permission, reads a file, writes a file and runs a command.",
  turns: [
    {
      steps: [
        { tool: { ...toolCall, status: "pending" } },
        { permission: { toolCall, on: { allow: [], otherwise: [{ end: "refusal" }] } } },
        { readFile: { path: "{{cwd}}/notes.txt", save: "notes" } },
        { writeFile: { path: "{{cwd}}/copy.txt", content: "{{notes.content}}" } },
        // Clients without a shell have only programs and arguments.
        { createTerminal: { command: "wc", args: ["-w", "notes.txt"], cwd: "{{cwd}}" } },
        { waitForExit: { expect: { exitCode: 0 } } },
        { terminalOutput: { save: "counted" } },
        { releaseTerminal: {} },
        { toolUpdate: { toolCallId: "w1", status: "completed" } },
        { say: "{{notes.content}}: {{counted.output}}" },
      ],
    },
  ],
};

const names: readonly PersonaName[] = ["full", "bare", "strict", "legacy", "execvp"];

it.each(names)("a client of the kind %s has a turn with files and a command", async (name) => {
  await using home = await Home.make();
  await writeFile(home.path("scenario.json"), JSON.stringify(scenario));
  await writeFile(home.path("notes.txt"), "three plain words");
  const { url, token } = await home.serve();
  const { child } = home.start(["acp", "--gateway", `${url}/#token=${token}`]);
  await using persona = new Persona(name);
  persona.connectProgram(child);
  await persona.initialize();
  const { sessionId } = await persona.open(home.folder);
  expect(await persona.prompt(sessionId, "count")).toMatchObject({ stopReason: "end_turn" });
  expect(persona.permissions).toMatchObject([{ sessionId, toolCall }]);
  expect(persona.wire.updates(sessionId)).toMatchObject([
    { sessionUpdate: "tool_call", toolCallId: "w1" },
    { sessionUpdate: "tool_call_update", toolCallId: "w1", status: "completed" },
    {
      sessionUpdate: "agent_message_chunk",
      content: { text: expect.stringMatching(/^three plain words: 3 notes\.txt/) },
    },
  ]);
  expect(await readFile(home.path("copy.txt"), "utf8")).toBe("three plain words");
  // A client is asked only for what it offers. The gateway does the rest.
  const { fs, terminal } = persona.traits.capabilities;
  expect(persona.reads).toEqual(fs ? [home.path("notes.txt")] : []);
  expect(persona.writes).toEqual(fs ? [home.path("copy.txt")] : []);
  const command = { sessionId, command: "wc", args: ["-w", "notes.txt"], cwd: home.folder };
  expect(persona.terminals.created).toMatchObject(terminal ? [command] : []);
  expect(persona.terminals.created).toHaveLength(terminal ? 1 : 0);
  expect(persona.terminals.open).toBe(0);
  expect(persona.wire.faults()).toEqual([]);
  child.stdin.end();
  await once(child, "close");
  expect(child.exitCode).toBe(0);
});
