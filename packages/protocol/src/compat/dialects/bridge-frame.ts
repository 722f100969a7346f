import type { ErrorCode } from "../../errors.ts";
import type * as events from "../../events.ts";

/**
 * The frames of `bridge.v1`, the vocabulary of seed 001. The names of the seed come first; the others are additions
 * that its hook ignores. `docs/dialects.md` has the whole table.
 */
export type BridgeFrame = BridgeBody & BridgeStamp;

export interface BridgeStamp {
  readonly seq: number;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

export type BridgeBody =
  | Chunk<"message_chunk">
  | ToolStarted
  | ToolCompleted
  | PermissionRequest
  | Named<"terminal_output", { readonly terminalId: string; readonly content: string }>
  | PlanCreated
  | Named<"mode_changed", { readonly modeId: string }>
  | Passed<"turn_complete", events.TurnEnded>
  | Passed<"error", events.ErrorRaised>
  | OwnBody;

type OwnBody =
  | Chunk<"thought_chunk">
  | Chunk<"user_message_chunk">
  | ToolUpdated
  | QuestionRequest
  | Explained
  | Settled
  | UserMessage
  | Passed<"user_message_withdrawn", events.PromptWithdrawn>
  | Passed<"user_message_moved", events.PromptMoved>
  | Passed<"turn_started", events.TurnStarted>
  | Passed<"turn_changed", events.TurnChanged>
  | Passed<"session_opened", events.SessionOpened>
  | Named<"session_changed", SessionFacts>
  | Passed<"session_closed", events.SessionClosed>
  | Passed<"agent_started", events.AgentStarted>
  | Passed<"agent_waiting", events.AgentWaiting>
  | Passed<"agent_exited", events.AgentExited>
  | Named<"options_changed", BridgeOptions>
  | Named<"commands_changed", { readonly commands: readonly unknown[] }>
  | Named<"plan_removed", { readonly planId: string }>
  | Named<"usage_changed", { readonly usage: unknown }>
  | Named<"notice", { readonly notice: unknown }>
  | Named<"compaction_changed", { readonly compaction: unknown }>
  | Named<"compaction_chunk", { readonly compactionId: string; readonly content: string }>
  | Named<"subagent_changed", { readonly subagent: unknown }>
  | Named<"session_message_changed", { readonly message: unknown }>
  | Named<"session_message_chunk", { readonly messageId: string; readonly content: string }>
  | Passed<"file_read", events.FileRead>
  | Passed<"file_written", events.FileWritten>
  | Passed<"terminal_opened", events.TerminalOpened>
  | Passed<"terminal_restarted", events.TerminalRestarted>
  | Passed<"terminal_exited", events.TerminalExited>
  | Named<"child_update", { readonly child: string; readonly frame: BridgeBody }>
  | Named<"unknown_update", { readonly raw: unknown }>
  | Named<"unknown_event", { readonly raw: unknown }>;

type Named<Type extends string, Fields> = { readonly type: Type } & Fields;

/** The unchanged fields of an event. */
type Passed<Type extends string, Body> = Named<Type, Omit<Body, "kind">>;

interface Chunk<Type extends string> {
  readonly type: Type;
  readonly content: string;
  /** The content block, if it is more than its text. */
  readonly block?: unknown;
  readonly messageId?: string;
}

interface PlanCreated {
  readonly type: "plan_created";
  readonly entries: readonly unknown[];
  readonly planId?: string;
  /** A plan that is a file. */
  readonly uri?: string;
  /** A plan that is Markdown. */
  readonly content?: string;
}

interface ToolStarted {
  readonly type: "tool_call_started";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly arguments: unknown;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly locations: readonly unknown[];
}

/** Only the fields that the agent repeats. */
interface ToolUpdated extends Partial<Omit<ToolStarted, "type" | "toolCallId">> {
  readonly type: "tool_call_updated";
  readonly toolCallId: string;
  readonly toolContent?: readonly unknown[];
}

interface ToolCompleted {
  readonly type: "tool_call_completed";
  readonly toolCallId: string;
  readonly toolName?: string;
  /** The raw output if there is one, else the content as text; null when there is neither. */
  readonly result: unknown;
  readonly status: "completed" | "error";
  readonly toolContent?: readonly unknown[];
}

interface PermissionRequest {
  readonly type: "permission_request";
  readonly requestId: string;
  readonly toolCall: events.PermissionOpened["toolCall"];
  readonly options: events.PermissionOpened["options"];
  readonly child?: string;
}

interface QuestionRequest {
  readonly type: "question_request";
  readonly requestId: string;
  readonly request: events.QuestionOpened["request"];
  readonly child?: string;
}

interface Explained {
  readonly type: "permission_explained";
  readonly requestId: string;
  readonly reasons: readonly string[];
}

interface Settled {
  readonly type: "permission_settled" | "question_settled";
  readonly requestId: string;
  readonly outcome: events.AskSettled["outcome"];
  readonly by: events.Actor;
}

interface UserMessage {
  readonly type: "user_message" | "user_message_changed";
  readonly promptId: string;
  readonly content: string;
  readonly blocks: readonly unknown[];
  readonly by: string;
}

/** Changes of the session, and the agent's time of last activity. */
interface SessionFacts extends Omit<events.SessionChanged, "kind"> {
  readonly updatedAt?: string | null;
}

/** The changed ones of modes, config options and legacy models. */
export interface BridgeOptions {
  readonly modes?: events.OptionsChanged["modes"];
  readonly configOptions?: readonly unknown[] | null;
  readonly models?: events.OptionsChanged["models"];
}

/** The reply to `new_session` and `load_session`: the state at sequence number `seq`, not an event of the log. */
export interface SessionReady extends BridgeStamp, BridgeOptions {
  readonly type: "session_ready";
  readonly agent: string;
  readonly cwd: string;
  readonly title: string | null;
}

/** The reply to a message that cannot be executed. */
export interface BridgeRefusal {
  readonly type: "error";
  readonly code: ErrorCode;
  readonly message: string;
  readonly help: string;
  readonly sessionId?: string;
  readonly timestamp: number;
}
