import { mcpServerCommand } from "@landline/testing/mcp-servers";
import { startModelServer, type ModelRequest, type Reply } from "@landline/testing";
import { expect, test } from "vitest";
import { AgentProcess } from "./agent-process.ts";
import { modelConfig } from "./model-config.ts";

/** Values of every type, and some that are almost valid. */
const values: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 40,
  "2",
  "",
  "\u0000 \ud800",
  [],
  ["a", 1, null],
  [{ path: 1, content: [], oldString: {}, newString: 5, question: 1, options: "x", header: [] }],
  {},
  { path: [], line: "2", type: "content" },
];

/** Valid enough that a call with one invalid field gets as far as it can. */
const usual: Readonly<Record<string, unknown>> = {
  filePath: "a.txt",
  path: ".",
  content: "text",
  oldString: "one",
  newString: "two",
  command: "true",
  description: "what it does",
  pattern: "one",
  prompt: "do it",
  url: "http://127.0.0.1:9/",
  format: "text",
};

type Call = NonNullable<Reply["parts"]>[number];

function hostileCalls({ tools }: ModelRequest): Call[] {
  // It answers only when it is cancelled.
  const answering = tools.filter(({ name }) => name !== "things_wait");
  return answering.flatMap(({ name, schema }) => {
    const names = Object.keys((schema as { properties?: object }).properties ?? {});
    const given = Object.fromEntries(
      names.flatMap((each) => (each in usual ? [[each, usual[each]]] : [])),
    );
    const wrong: unknown[] = names.flatMap((each) =>
      values.map((value) => ({ ...given, [each]: value })),
    );
    wrong.push(...values.map((value) => Object.fromEntries(names.map((each) => [each, value]))));
    wrong.push(...values, "{", undefined);
    return wrong.map((one): Call => {
      const text = typeof one === "string" ? one : (JSON.stringify(one) ?? "");
      return { type: "tool-call", name, arguments: text };
    });
  });
}

test("no argument of a model violates the schema, for any tool", async () => {
  let calls: Call[] | null = null;
  let made = 0;
  await using server = await startModelServer({
    script: (request) => {
      const isHelper = !request.tools.some(({ name }) => name === "task");
      if (request.tools.length === 0 || isHelper) return "Done.";
      calls ??= hostileCalls(request);
      const parts = calls.slice(made, made + 40);
      made += parts.length;
      return parts.length === 0 ? "Done." : { parts };
    },
  });
  const environment = { LANDLINE_AGENT_CONFIG_CONTENT: modelConfig(server.url) };
  await using agent = await AgentProcess.start([], environment);
  await using persona = agent.visitor("full");
  persona.answerPermission = () => null;
  await persona.initialize();
  const [command = "", ...args] = Object.values(mcpServerCommand("tools")).flat();
  const things = { name: "things", command, args, env: [] };
  const { sessionId } = await persona.open(agent.cwd, [things]);
  expect(await persona.prompt(sessionId, "go")).toMatchObject({ stopReason: "end_turn" });
  expect(made).toBeGreaterThan(500);
  await persona.load(sessionId, agent.cwd);
  expect(persona.wire.faults()).toEqual([]);
});
