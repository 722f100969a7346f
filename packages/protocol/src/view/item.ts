import type {
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallLocation,
} from "@agentclientprotocol/sdk";
import type {
  Actor,
  AgentExited,
  AgentStarted,
  BlobReference,
  TurnEnded,
  TurnUsage,
} from "../events.ts";
import type { Execution } from "../execution.ts";

/**
 * One entry of a thread. `key` never changes. `first` and `last` are the sequence numbers of the events that created
 * and last changed the item; `at` is the time of the first.
 */
export type Item =
  | PromptItem
  | MessageItem
  | ThoughtItem
  | ToolCallItem
  | AskItem
  | TurnEndedItem
  | NoticeItem
  | CompactionItem
  | SessionMessageItem
  | AgentStartedItem
  | AgentExitedItem
  | ErrorItem
  | UnknownItem;

export type ItemType = Item["type"];

export interface ItemBase {
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly at: number;
}

/** A content block. A text that is too long for the log is empty here, and `blob` refers to it. */
export type Block = ContentBlock & { readonly blob?: BlobReference };

/** A prompt, at the position where its turn started. */
export interface PromptItem extends ItemBase {
  readonly type: "prompt";
  readonly promptId: string;
  readonly turnId: string;
  readonly content: readonly Block[];
  readonly by: string | null;
  /** The number of characters that the agent has echoed as `user_message_chunk`. Echoes are not shown again. */
  readonly echoedLength: number;
  /** Null while the turn runs. */
  readonly end: TurnEnd | null;
}

export interface TurnEnd {
  readonly at: number;
  readonly stopReason: TurnEnded["stopReason"];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: TurnUsage | null;
}

export interface MessageItem extends ItemBase {
  readonly type: "message";
  /** `user`: a user message that the agent reports and that is not a prompt of this session. */
  readonly role: "agent" | "user";
  readonly messageId: string | null;
  readonly content: readonly Block[];
}

export interface ThoughtItem extends ItemBase {
  readonly type: "thought";
  readonly messageId: string | null;
  readonly content: readonly Block[];
}

/** The merged state of one tool call. Strings in `content` and in the raw fields may be blob references. */
export interface ToolCallItem extends ItemBase {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly title: string;
  readonly name: string | null;
  /** A tool kind of ACP, or another value of the agent. */
  readonly kind: string;
  /** The status that the agent reported: one of ACP's four, or another value. */
  readonly status: string;
  /** Set by the fold when the agent reported no end: the turn was cancelled, or ended first. */
  readonly ended: "cancelled" | "unfinished" | null;
  /** When the call ended, according to the agent or the fold; null while it is open. */
  readonly endedAt: number | null;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  /** The key of the subagent that the call started. */
  readonly subagent: string | null;
  readonly execution: Execution;
  /** Only updates have arrived; the `tool_call` that starts the call may follow. */
  readonly isUnannounced?: true;
}

export type AskItem = PermissionItem | QuestionItem;

interface AskBase extends ItemBase {
  readonly type: "ask";
  readonly askId: string;
  /** Null while it is open. */
  readonly settled: {
    readonly at: number;
    readonly outcome: RequestPermissionOutcome | CreateElicitationResponse;
    readonly by: Actor;
    /** The message that accompanied a rejection. */
    readonly note?: string;
  } | null;
}

export interface PermissionItem extends AskBase {
  readonly ask: "permission";
  /** The tool call of the request: an item of the same thread. */
  readonly toolCallId: string | null;
  readonly options: readonly PermissionOption[];
  /** Why a person must answer although a rule allows the call, one clause per entry. Absent when no rule allows it. */
  readonly because?: readonly string[];
  /**
   * The sandbox stopped the command and approval runs it again with more access, or a confined program created
   * protected places that approval keeps. No rule can allow either.
   */
  readonly leavesSandbox?: true;
}

export interface QuestionItem extends AskBase {
  readonly ask: "question";
  readonly request: CreateElicitationRequest;
}

/** The end of a turn whose stop reason is not `end_turn`. */
export interface TurnEndedItem extends ItemBase {
  readonly type: "turn-ended";
  readonly turnId: string;
  readonly stopReason: TurnEnded["stopReason"];
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface NoticeItem extends ItemBase {
  readonly type: "notice";
  readonly severity: string;
  readonly title: string;
  readonly description: string | null;
}

export interface CompactionItem extends ItemBase {
  readonly type: "compaction";
  readonly compactionId: string;
  readonly status: string;
  readonly summary: readonly Block[];
  readonly error: string | null;
}

/** A message between an agent and its subagent. */
export interface SessionMessageItem extends ItemBase {
  readonly type: "session-message";
  readonly messageId: string;
  readonly senderSessionId: string | null;
  readonly recipientSessionId: string | null;
  readonly content: readonly Block[];
}

/** A start of the agent other than the first. */
export interface AgentStartedItem extends ItemBase {
  readonly type: "agent-started";
  readonly how: AgentStarted["how"];
}

export interface AgentExitedItem extends ItemBase {
  readonly type: "agent-exited";
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  readonly because?: NonNullable<AgentExited["because"]>;
}

export interface ErrorItem extends ItemBase {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly help: string | null;
}

/** An update or event of a kind that this version does not know, unchanged. */
export interface UnknownItem extends ItemBase {
  readonly type: "unknown";
  readonly of: "update" | "event";
  /** Its `sessionUpdate` or its `kind`. */
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}
