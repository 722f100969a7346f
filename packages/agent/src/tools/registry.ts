import type { Project } from "../config/config.ts";
import { nestedRules } from "../config/rules-files.ts";
import type { CallOnScreen, People, PlanExit } from "../core/user-requests.ts";
import type { ModelInfo } from "../model/model.ts";
import type { Policy } from "../permission/rule.ts";
import { evaluate, isOff } from "../permission/evaluate.ts";
import { createApplyPatchTool } from "./apply-patch.ts";
import { createBashTool } from "./bash.ts";
import { createEditTool } from "./edit.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createListTool } from "./list.ts";
import { createPlanExitTool } from "./plan-exit.ts";
import { createQuestionTool } from "./question.ts";
import { createReadTool } from "./read.ts";
import { createTaskTool } from "./task.ts";
import { todoTool } from "./todo.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { createWebfetchTool } from "./webfetch.ts";
import { createWriteTool } from "./write.ts";

/** What decides which tools a model sees, and what some of them work with. */
export interface ToolSituation {
  info: ModelInfo;
  /** A tool that these deny altogether is not offered. */
  /** The session's own, then those of the sessions that it helps: what one of them denies is denied. */
  policies: readonly Policy[];
  isPlanning: boolean;
  project: Project;
  mcpTools: readonly Tool[];
  questions: People["questions"];
  /** Null in a subagent that may start no further ones. */
  subagents: Subagents | null;
  screen: (context: ToolContext) => CallOnScreen;
  /** Asks the person, and changes the mode when they agree. */
  leavePlan: (context: ToolContext, plan: string) => Promise<PlanExit>;
  /** The folder where whole outputs are kept; reading there needs no permission. */
  outputs: string;
  /** Rules files for parts of the project that the model has before it. */
  shownRules: () => ReadonlySet<string>;
}

export interface Subagents {
  types(): { id: string; description: string }[];
  run(task: SubagentTask, context: ToolContext): Promise<SubagentResult>;
}

export interface SubagentTask {
  type: string;
  description: string;
  prompt: string;
  /** An earlier task to go on with. */
  taskId: string | null;
}

export interface SubagentResult {
  sessionId: string;
  modelId: string;
  text: string;
  /** The calls that it made, for `metadata.summary`. */
  summary: { callId: string; tool: string; title: string; status: "completed" | "failed" }[];
}

/**
 * The tools that a model is offered in a situation. No two have one name: the agent's own win over those of
 * the project, and these over those of servers.
 */
export function toolsFor(situation: ToolSituation): Tool[] {
  const { questions, isPlanning, screen, leavePlan, policies } = situation;
  const tools: Tool[] = [
    ...lookingTools(situation),
    ...editingTools(situation),
    createBashTool(situation.outputs),
    createWebfetchTool(situation.info),
    todoTool,
    ...taskTools(situation),
    ...(questions ? [createQuestionTool(questions, screen)] : []),
    ...(isPlanning ? [createPlanExitTool(leavePlan)] : []),
    ...situation.project.customTools,
    ...situation.mcpTools,
  ];
  const names = new Set<string>();
  return tools.filter((tool) => {
    const isFirst = !names.has(tool.name);
    names.add(tool.name);
    return isFirst && !policies.some((policy) => isOff(policy, tool.permission));
  });
}

function lookingTools({ info, outputs, policies, shownRules }: ToolSituation): Tool[] {
  const source = { nested: nestedRules, shown: shownRules };
  return [
    createReadTool({ info, outputs, rules: source }),
    createListTool(outputs),
    createGlobTool(outputs),
    createGrepTool(outputs, policies),
  ];
}

/** Some models were taught to write patches, and are better at it than at naming what to replace. */
function editingTools({ info, project }: ToolSituation): Tool[] {
  const { formatters, linters } = project.config;
  const programs = { formatters, linters };
  if (info.prefersPatches) return [createApplyPatchTool(programs)];
  return [createEditTool(programs), createWriteTool(programs)];
}

/** A helper that the rules refuse is not named to the model; without any, there is no such tool. */
function taskTools({ subagents, policies }: ToolSituation): Tool[] {
  const types = (subagents?.types() ?? []).filter(({ id }) =>
    policies.every((policy) => evaluate(policy, "task", id) !== "deny"),
  );
  return subagents && types.length > 0
    ? [createTaskTool({ types: () => types, run: (task, context) => subagents.run(task, context) })]
    : [];
}
