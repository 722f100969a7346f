import type { OfferedOption, PermissionRequest } from "../permission/rule.ts";
import type { ToolView } from "../tools/tool.ts";

/**
 * Requests to the user. They are rejected when nobody can answer, so that a turn never waits for an absent
 * user, and when the signal is aborted.
 */
export interface UserRequests {
  decide(question: PermissionQuestion, signal: AbortSignal): Promise<Decision>;
  /** Null when the client does not support questions; then the tool is not offered. */
  readonly questions:
    | ((call: DisplayedCall, questions: Question[], signal: AbortSignal) => Promise<Answer[]>)
    | null;
  leavePlan(call: DisplayedCall, plan: string, signal: AbortSignal): Promise<PlanExit>;
}

/**
 * A tool call as the user sees it. Calls of subagents appear on the root session, with the subagent's name.
 */
export interface DisplayedCall {
  rootSessionId: string;
  /** The `task` call of the subagent that makes it. */
  taskCallId: string | null;
  callId: string;
  tool: string;
  view: ToolView;
  rawInput: unknown;
  /** The name of that subagent. */
  agent: string | null;
}

export interface PermissionQuestion {
  call: DisplayedCall;
  /** Requests that nothing allows yet. One answer applies to all of them. */
  requests: readonly PermissionRequest[];
  /** Replace the default options. */
  options?: readonly OfferedOption[];
}

export interface Decision {
  answer: "once" | "always" | "reject" | "never";
  /** The chosen option, if the question has its own options. */
  option?: string;
}

export interface Question {
  header: string;
  question: string;
  options: { label: string; description?: string | undefined }[];
  multiple: boolean;
  /** Free text is accepted. */
  free: boolean;
}

/** The chosen labels or free text; empty when the user did not answer. */
export type Answer = string[];

export type PlanExit = "build-accepting-edits" | "build-asking" | "keep-planning";
