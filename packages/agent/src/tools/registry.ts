import type { Project } from "../config/config.ts";
import { nestedRules } from "../config/rules-files.ts";
import type { DisplayedCall, UserRequests, PlanExit } from "../core/user-requests.ts";
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

/** What determines the tools that are offered, and what they need. */
export interface ToolSituation {
  info: ModelInfo;
  /**
   * The policies of the session and its ancestors. A tool that one of them denies completely is not offered.
   */
  policies: readonly Policy[];
  isPlanning: boolean;
  project: Project;
  mcpTools: readonly Tool[];
  questions: UserRequests["questions"];
  /** Null when no further subagents may be started. */
  subagents: Subagents | null;
  displayedCall: (context: ToolContext) => DisplayedCall;
  /** Asks the user to approve the plan, and changes the mode. */
  leavePlan: (context: ToolContext, plan: string) => Promise<PlanExit>;
  /** The folder of complete outputs; reading there needs no permission. */
  outputs: string;
  /** Nested rules files that the model has. */
  rulesInContext: () => ReadonlySet<string>;
}

export interface Subagents {
  types(): { id: string; description: string }[];
  run(task: SubagentTask, context: ToolContext): Promise<SubagentResult>;
}

export interface SubagentTask {
  type: string;
  description: string;
  prompt: string;
  /** The id of an earlier task to continue. */
  taskId: string | null;
}

export interface SubagentResult {
  sessionId: string;
  modelId: string;
  text: string;
  /** Its calls, for `metadata.summary`. */
  summary: { callId: string; tool: string; title: string; status: "completed" | "failed" }[];
}

/**
 * The tools that are offered. Names are unique: built-in tools take precedence over custom tools, and these
 * over MCP tools.
 */
export function toolsFor(situation: ToolSituation): Tool[] {
  const { questions, isPlanning, displayedCall, leavePlan, policies } = situation;
  const tools: Tool[] = [
    ...lookingTools(situation),
    ...editingTools(situation),
    createBashTool(situation.outputs),
    createWebfetchTool(situation.info),
    todoTool,
    ...taskTools(situation),
    ...(questions ? [createQuestionTool(questions, displayedCall)] : []),
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

function lookingTools({ info, outputs, policies, rulesInContext }: ToolSituation): Tool[] {
  const source = { nested: nestedRules, shown: rulesInContext };
  return [
    createReadTool({ info, outputs, rules: source }),
    createListTool(outputs),
    createGlobTool(outputs),
    createGrepTool(outputs, policies),
  ];
}

/** Some models were trained on patches and do better with them. */
function editingTools({ info, project }: ToolSituation): Tool[] {
  const { formatters, linters } = project.config;
  const programs = { formatters, linters };
  if (info.prefersPatches) return [createApplyPatchTool(programs)];
  return [createEditTool(programs), createWriteTool(programs)];
}

/** Denied subagent types are not offered. Without any, there is no task tool. */
function taskTools({ subagents, policies }: ToolSituation): Tool[] {
  const types = (subagents?.types() ?? []).filter(({ id }) =>
    policies.every((policy) => evaluate(policy, "task", id) !== "deny"),
  );
  return subagents && types.length > 0
    ? [createTaskTool({ types: () => types, run: (task, context) => subagents.run(task, context) })]
    : [];
}
