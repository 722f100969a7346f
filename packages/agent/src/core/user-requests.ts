import type { OfferedOption, PermissionRequest } from "../permission/rule.ts";
import type { ToolView } from "../tools/tool.ts";

/**
 * The person at the other end. Where nobody can answer, these reject: a turn never waits for somebody
 * who is not there. All of them end when the signal says stop.
 */
export interface People {
  decide(question: PermissionQuestion, signal: AbortSignal): Promise<Decision>;
  /** Null when the client can't show questions: then the tool is not offered. */
  readonly questions:
    | ((call: CallOnScreen, questions: Question[], signal: AbortSignal) => Promise<Answer[]>)
    | null;
  leavePlan(call: CallOnScreen, plan: string, signal: AbortSignal): Promise<PlanExit>;
}

/** A call as the person sees it. Calls of subagents stand on the root session, with the subagent's name before them. */
export interface CallOnScreen {
  /** The session that the person sees. */
  rootSessionId: string;
  /** The `task` call whose subagent makes it, if any. */
  taskCallId: string | null;
  callId: string;
  tool: string;
  view: ToolView;
  rawInput: unknown;
  /** That subagent's name. */
  agent: string | null;
}

export interface PermissionQuestion {
  call: CallOnScreen;
  /** What nothing allows yet: one answer holds for all of it. */
  requests: readonly PermissionRequest[];
  /** Offered in place of the usual answers. */
  options?: readonly OfferedOption[];
}

export interface Decision {
  answer: "once" | "always" | "reject" | "never";
  /** The option that was chosen, where the question offers some. */
  option?: string;
}

export interface Question {
  header: string;
  question: string;
  options: { label: string; description?: string | undefined }[];
  multiple: boolean;
  /** An answer in own words is welcome. */
  free: boolean;
}

/** The labels that were chosen, or own words; empty when the person did not say. */
export type Answer = string[];

export type PlanExit = "build-accepting-edits" | "build-asking" | "keep-planning";
