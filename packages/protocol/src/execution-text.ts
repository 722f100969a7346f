import type { Actor, Confinement, GatewayReason } from "./events.ts";
import { isAwaited, type Decision, type Execution } from "./execution.ts";

/** The texts of the execution badge, shared by the page, exports, the audit and the command line. */

/** The input of the texts. `status` is the status that the agent reported. */
export interface ExecutedCall {
  readonly execution: Execution;
  readonly status: string | null;
}

/** Display names for the texts. */
export interface ExecutionNames {
  /** "Ada", or "you". */
  readonly person: (clientId: string) => string;
  /** The description of the rule, or null when it is no longer known. */
  readonly rule?: (ruleId: string) => string | null;
  /** The subagent whose thread has the call. */
  readonly subagent?: string | null;
}

/** Whether anything is known about the execution. */
export function isExecutionKnown({ execution }: Pick<ExecutedCall, "execution">): boolean {
  const { by, confinement, decisions } = execution;
  return by !== "agent" || confinement !== undefined || decisions.length > 0;
}

/** "Run by codex · not confined by Landline · allowed once by Ada". */
export function executionText(call: ExecutedCall, names: ExecutionNames): string {
  const { execution } = call;
  const doer = doerWords(execution, names.subagent ?? null);
  const approval = approvalWords(execution, names);
  if (isNotRun(call)) return [`Requested ${doer}`, approval].join(" · ");
  const isWaiting = isAwaited(execution);
  const verb = isWaiting ? "Requested" : "Run";
  if (execution.hasLeftSandbox === true)
    return [`${verb} ${doer}`, `outside the sandbox, ${approval}`].join(" · ");
  // The confinement is not known before the call runs.
  const how = isWaiting && execution.confinement === undefined ? [] : [howWords(execution)];
  return [`${verb} ${doer}`, ...how, approval].join(" · ");
}

/** The shortest form. */
export type ExecutionBadge =
  | "Sandboxed"
  | "Outside sandbox"
  | "In editor"
  | "Not confined"
  | "Not recorded"
  | "Not run";

export function executionBadge(call: ExecutedCall): ExecutionBadge {
  const { by, confinement, hasLeftSandbox } = call.execution;
  if (isNotRun(call)) return "Not run";
  if (by === "editor") return "In editor";
  if (hasLeftSandbox === true) return "Outside sandbox";
  if (confinement === undefined) return "Not recorded";
  return confinement === null ? "Not confined" : "Sandboxed";
}

/** "sandboxed (no network)". */
export function confinementWords({ network }: Confinement): string {
  if (network === "on") return "sandboxed (with network)";
  if (network === "off" || network.length === 0) return "sandboxed (no network)";
  const named = network.slice(0, hostsNamed).join(", ");
  const more = network.length - hostsNamed;
  return more > 0 ? `sandboxed (${named} and ${more} more)` : `sandboxed (${named})`;
}

const hostsNamed = 3;

/** The call was refused and the agent does not report it as completed. In a terminal of the gateway or of an editor, something ran. */
function isNotRun({ execution: { by, decisions }, status }: ExecutedCall): boolean {
  const last = decisions.at(-1)?.outcome;
  return by === "agent" && status !== "completed" && (last === "rejected" || last === "unanswered");
}

/** "by codex", or "in Zed". */
function doerWords(execution: Execution, subagent: string | null): string {
  const { by, editor, agent, isBuiltIn } = execution;
  if (by === "editor") return `in ${editor ?? "an editor"}`;
  if (by === "landline") return "by Landline";
  const name = isBuiltIn === true ? "Landline agent" : agent === "" ? "the agent" : agent;
  return subagent === null || subagent === "" ? `by ${name}` : `by ${name} (subagent ${subagent})`;
}

function howWords({ by, isBuiltIn, confinement }: Execution): string {
  if (confinement === undefined) return "confinement not recorded";
  if (confinement !== null) return confinementWords(confinement);
  const isElsewhere = by === "editor" || (by === "agent" && isBuiltIn !== true);
  return isElsewhere ? "not confined by Landline" : "not confined";
}

function approvalWords(execution: Execution, names: ExecutionNames): string {
  const { decisions, report } = execution;
  const last = decisions.at(-1);
  if (last === undefined) return reportWords(report);
  if (isAwaited(execution)) return "waiting for permission";
  if (last.outcome !== "allowed") return decisionWords(last, names);
  const allowed = decisions.filter(({ outcome }) => outcome === "allowed");
  return [...new Set(allowed.map((decision) => decisionWords(decision, names)))].join(" and ");
}

function decisionWords({ outcome, by, option, rule }: Decision, names: ExecutionNames): string {
  if (by !== null && "gateway" in by && outcome === "unanswered")
    return reasons[by.gateway] ?? "not answered";
  const actor = actorWords(by, rule ?? null, names);
  if (outcome === "unanswered") return `closed by ${actor}`;
  const isOnce = option === "allow_once" && by !== null && "client" in by;
  return `${outcome}${isOnce ? " once" : ""} by ${actor}`;
}

function actorWords(by: Actor | null, rule: string | null, names: ExecutionNames): string {
  if (by === null) return "somebody";
  if ("client" in by) return names.person(by.client);
  if ("gateway" in by) return "the settings of the gateway";
  const text = rule ?? names.rule?.(by.rule) ?? null;
  return text === null ? "a rule" : `a rule (${firstSentence(text)})`;
}

/** Further sentences describe what else the rule allows. */
function firstSentence(text: string): string {
  return (/^.*?[^.](?=\.(?:\s|$))/su.exec(text)?.[0] ?? text).trim();
}

const reasons: Readonly<Record<GatewayReason, string>> = {
  "turn-cancelled": "not answered: the turn was stopped",
  "turn-ended": "not answered: the turn ended",
  "agent-gone": "not answered: the agent exited",
  timeout: "not answered in time",
  policy: "closed by the settings of the gateway",
  withdrawn: "withdrawn by the agent",
  completed: "completed elsewhere",
};

function reportWords(report: Execution["report"]): string {
  const { by, name } = report?.approval ?? { by: "none" as const };
  switch (by) {
    case "person":
      return name === undefined ? "allowed by a person" : `allowed by ${name}`;
    case "rule":
      return name === undefined ? "allowed by a rule of the agent" : `allowed by rule “${name}”`;
    case "level":
      return name === undefined ? "not asked: permission level" : `not asked: level ${name}`;
    case "read-only":
      return "not asked: read-only";
    default:
      return "not asked";
  }
}
