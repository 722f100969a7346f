import { z } from "zod";
import { ModelProblem } from "../model/model.ts";
import type { SubagentResult, Subagents } from "./registry.ts";
import { textContent, ToolFailure, type Tool } from "./tool.ts";

const input = z.object({
  description: z.string().min(1).describe("The task in three to five words"),
  prompt: z.string().min(1).describe("The whole task: the helper knows nothing else"),
  subagent_type: z.string().min(1).describe("Which helper"),
  task_id: z.string().optional().describe("To go on with an earlier task: its id"),
  session_id: z.string().optional().describe("An older name of task_id"),
});

function describe(subagents: Subagents): string {
  const types = subagents.types().map(({ id, description }) => `- ${id}: ${description}`);
  return `Hands a task to a helper, which works on it in a conversation of its own and gives back one message. Use it for work that would fill this conversation with what nobody needs later (a search through many files, a survey of a code base), and for tasks that do not depend on each other: start those in one go, and they run side by side. Tell the helper everything: the aim, what is known, paths, and what to report. It can't ask you. What it reports is not checked: look at what matters yourself. Give task_id to go on where an earlier helper stopped.

Helpers:
${types.join("\n")}`;
}

/** Runs a subagent. The result has the form of seed 004. */
export function createTaskTool(subagents: Subagents): Tool<z.infer<typeof input>> {
  return {
    name: "task",
    description: describe(subagents),
    input,
    kind: "think",
    permission: "task",
    view: ({ description = "Task", subagent_type: type }) => ({
      title: type === undefined ? description : `${description} (@${type})`,
      locations: [],
      content: [],
    }),
    async run(task, context) {
      const { subagent_type: type, description, prompt } = task;
      await context.ask({ permission: "task", patterns: [type], always: [type] });
      const taskId = task.task_id ?? task.session_id ?? null;
      try {
        const result = await subagents.run({ type, description, prompt, taskId }, context);
        return {
          output: outputOf(result),
          content: textContent(result.text),
          metadata: {
            sessionId: result.sessionId,
            parentSessionId: context.sessionId,
            model: modelOf(result.modelId),
            summary: result.summary.map(({ callId: id, tool, title, status }) => ({
              id,
              tool,
              state: { status, title },
            })),
          },
        };
      } catch (error) {
        if (!(error instanceof ModelProblem)) throw error;
        throw new ToolFailure("failed", `The helper's model failed: ${error.message}`);
      }
    },
  };
}

/** The form of seed 004. */
function modelOf(id: string): { providerID: string; modelID: string } {
  const slash = id.indexOf("/");
  return { providerID: id.slice(0, Math.max(slash, 0)), modelID: id.slice(slash + 1) };
}

function outputOf(result: SubagentResult): string {
  return [
    `<task id="${result.sessionId}" state="completed">`,
    result.text,
    "</task>",
    "",
    "<task_metadata>",
    `session_id: ${result.sessionId}`,
    "</task_metadata>",
  ].join("\n");
}
