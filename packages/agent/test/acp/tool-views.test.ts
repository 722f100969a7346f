import { fc, test } from "@fast-check/vitest";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { validateAcp } from "@landline/testing/schema";
import { expect } from "vitest";
import { Projector } from "../../src/acp/projector.ts";
import type { AgentEvent } from "../../src/core/record.ts";
import { toolsFor, type ToolSituation } from "../../src/tools/registry.ts";
import { createApplyPatchTool } from "../../src/tools/apply-patch.ts";
import { createPlanExitTool } from "../../src/tools/plan-exit.ts";
import { createTaskTool } from "../../src/tools/task.ts";
import type { Tool, ToolView } from "../../src/tools/tool.ts";
import { calls, SessionFixture, says } from "../core/session-fixture.ts";
import { noPrograms, openToolFixture } from "../tools/tool-fixture.ts";

const helpers = {
  types: () => [{ id: "general", description: "Helps." }],
  run: () => Promise.reject(new Error("It is not run here.")),
};

/** Every tool of the agent. Only their views are used. */
function allTools(situation: ToolSituation): Tool[] {
  const tools = [
    ...toolsFor({
      ...situation,
      questions: () => Promise.resolve([]),
      subagents: null,
      isPlanning: false,
    }),
    createApplyPatchTool(noPrograms),
    createPlanExitTool(() => Promise.resolve("keep-planning")),
    createTaskTool(helpers),
  ] as Tool[];
  // Copies: other tests in this process use the same tools.
  const run = () => Promise.resolve({ output: "" });
  return tools.map((tool) => Object.assign(Object.create(tool) as Tool, { run }));
}

function updatesOf(events: readonly AgentEvent[], live: boolean): SessionUpdate[] {
  const projector = new Projector({ live, capabilities: {}, configOptions: () => [] });
  return events.flatMap((event) => projector.updates(event));
}

function faults(updates: readonly SessionUpdate[]): string[] {
  return updates.flatMap((update) =>
    validateAcp("SessionUpdate", update, { unstable: true }).map(
      (fault) => `${fault} in ${JSON.stringify(update)}`,
    ),
  );
}

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>("2", -1, 0.5, 4_294_967_296, 1e300, "~x", "file:///a", "\0", ""),
);

/** Inputs with the names that the tool knows, and any values. */
function inputFor(tool: Tool): fc.Arbitrary<unknown> {
  const names = "shape" in tool.input ? Object.keys(tool.input.shape as object) : [];
  const named = fc.record(Object.fromEntries(names.map((name) => [name, value])), {
    requiredKeys: [],
  });
  return fc.oneof({ weight: 3, arbitrary: named }, { weight: 1, arbitrary: value });
}

test("the view of any tool call conforms to the schema", async () => {
  await using bench = await openToolFixture();
  let tools: Tool[] = [];
  const parts = {
    workspace: bench.workspace,
    toolsFor: (situation: ToolSituation) => Promise.resolve((tools = allTools(situation))),
  };
  const names = new SessionFixture({ replies: [says("Hello.")], parts });
  await names.prompt("Go");
  expect(tools.length).toBeGreaterThan(10);
  const inputs = fc.tuple(...tools.map((tool) => inputFor(tool)));
  const property = fc.asyncProperty(inputs, async (given) => {
    const made = given.map((input, index) => ({ tool: tools[index]?.name ?? "", input }));
    const rig = new SessionFixture({ replies: [calls(...made), says("Done.")], parts });
    await rig.prompt("Go");
    expect(rig.ended()).toHaveLength(made.length);
    expect(faults(updatesOf(rig.events, true))).toEqual([]);
    expect(faults(updatesOf(rig.records, false))).toEqual([]);
  });
  await fc.assert(property, { numRuns: 200 });
});

const junk = fc.record(
  {
    title: value,
    kind: value,
    locations: fc.oneof(value, fc.array(fc.record({ path: value, line: value }))),
    content: fc.oneof(
      value,
      fc.array(
        fc.record({
          type: fc.constantFrom("content", "diff", "terminal", "x"),
          content: fc.oneof(value, fc.record({ type: fc.constant("text"), text: value })),
          path: value,
          oldText: value,
          newText: value,
          terminalId: value,
        }),
      ),
    ),
  },
  { requiredKeys: [] },
);

test.prop([junk])(
  "a stored record with an invalid view is shown without its invalid parts",
  (given) => {
    const view = given as unknown as ToolView;
    const call = { at: 0, stepId: "s", callId: "c" };
    const events: AgentEvent[] = [
      { kind: "tool-called", ...call, tool: "read", input: {}, view },
      { kind: "tool-progressed", callId: "c", view },
      {
        kind: "tool-ended",
        ...call,
        status: "completed",
        output: "",
        rawOutput: {},
        title: view.title,
        locations: view.locations,
        content: view.content as [],
      },
    ];
    const updates = updatesOf(events, true);
    expect(updates).toHaveLength(3);
    expect(faults(updates)).toEqual([]);
  },
);
