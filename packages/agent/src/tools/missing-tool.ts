import { ToolFailure } from "./tool.ts";

/** The built-in tools. */
const ownTools: ReadonlySet<string> = new Set([
  "read",
  "write",
  "edit",
  "apply_patch",
  "glob",
  "grep",
  "list",
  "bash",
  "webfetch",
  "todowrite",
  "task",
  "question",
  "plan_exit",
]);

/** The failure for a tool that was not offered: a built-in one is disabled, others are unknown. */
export function missingTool(name: string): ToolFailure {
  if (!ownTools.has(name)) {
    return new ToolFailure(
      "tool-not-found",
      `There is no tool ${name}. Use one of those that you are offered.`,
    );
  }
  return new ToolFailure(
    "tool-disabled",
    `The tool ${name} is not offered here: the mode, a rule of the person, or the model leave it out. Use one of those that you are offered, or ask the person.`,
  );
}
