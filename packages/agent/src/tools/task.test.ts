import { afterEach, beforeEach, expect, it } from "vitest";
import { openToolContext, type ToolContextFixture } from "../../test/tools/tool-context-fixture.ts";
import { ModelProblem } from "../model/model.ts";
import { PermissionRefused } from "../permission/rule.ts";
import type { SubagentResult, Subagents, SubagentTask } from "./registry.ts";
import { createTaskTool } from "./task.ts";
import { ToolFailure } from "./tool.ts";

let rig: ToolContextFixture;
let tasks: SubagentTask[];
beforeEach(async () => {
  rig = await openToolContext();
  tasks = [];
});
afterEach(() => rig[Symbol.asyncDispose]());

const result: SubagentResult = {
  sessionId: "child-1",
  modelId: "open/router/model",
  text: "It is in a.ts.",
  summary: [
    { callId: "c1", tool: "read", title: "Read a.ts", status: "completed" },
    { callId: "c2", tool: "grep", title: "Search b", status: "failed" },
  ],
};

function tool(run: Subagents["run"] = () => Promise.resolve(result)) {
  return createTaskTool({
    types: () => [
      { id: "explore", description: "Looks around." },
      { id: "general", description: "Does anything." },
    ],
    run(task, context) {
      tasks.push(task);
      return run(task, context);
    },
  });
}

const given = { description: "Find it", prompt: "Find the thing.", subagent_type: "explore" };

it("returns the subagent's answer in the form that clients expect", async () => {
  const { output, content, metadata } = await tool().run(given, rig.context);
  expect(output).toBe(
    [
      '<task id="child-1" state="completed">',
      "It is in a.ts.",
      "</task>",
      "",
      "<task_metadata>",
      "session_id: child-1",
      "</task_metadata>",
    ].join("\n"),
  );
  expect(content).toEqual([{ type: "content", content: { type: "text", text: "It is in a.ts." } }]);
  expect(metadata).toEqual({
    sessionId: "child-1",
    parentSessionId: "session",
    model: { providerID: "open", modelID: "router/model" },
    summary: [
      { id: "c1", tool: "read", state: { status: "completed", title: "Read a.ts" } },
      { id: "c2", tool: "grep", state: { status: "failed", title: "Search b" } },
    ],
  });
});

it("asks about the kind of subagent before it starts one", async () => {
  rig.decide = () => Promise.reject(new PermissionRefused("rule", "no"));
  await expect(tool().run(given, rig.context)).rejects.toThrow("no");
  expect(rig.asked).toEqual([{ permission: "task", patterns: ["explore"], always: ["explore"] }]);
  expect(tasks).toEqual([]);
});

it("continues an earlier task by either parameter", async () => {
  await tool().run(given, rig.context);
  await tool().run({ ...given, task_id: "t" }, rig.context);
  await tool().run({ ...given, session_id: "s" }, rig.context);
  await tool().run({ ...given, task_id: "t", session_id: "s" }, rig.context);
  expect(tasks.map(({ taskId }) => taskId)).toEqual([null, "t", "s", "t"]);
  expect(tasks[0]).toEqual({
    type: "explore",
    description: "Find it",
    prompt: "Find the thing.",
    taskId: null,
  });
});

it("lists the subagents for the model, and shows the task to people", () => {
  const task = tool();
  expect(task.description).toContain("- explore: Looks around.\n- general: Does anything.");
  expect(task.view(given, rig.context.workspace).title).toBe("Find it (@explore)");
  expect(task.view({}, rig.context.workspace).title).toBe("Task");
});

it("reports failures in a way that the model can use", async () => {
  const broken = tool(() => Promise.reject(new ModelProblem("provider-error", "It is down.")));
  await expect(broken.run(given, rig.context)).rejects.toThrow(
    expect.objectContaining({ name: "ToolFailure", reason: "failed" }) as Error,
  );
  const unknown = tool(() => Promise.reject(new ToolFailure("tool-not-found", "No subagent x.")));
  await expect(unknown.run(given, rig.context)).rejects.toThrow("No subagent x.");
});
