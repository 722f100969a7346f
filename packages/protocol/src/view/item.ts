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
 * One thing in a thread. `key` is stable for the life of the log, `first` is the number of the event
 * that made it, `last` of the event that changed it last, `at` the time of the first.
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

/** A content block. A text that was too long for the log is empty here and stands behind `blob`. */
export type Block = ContentBlock & { readonly blob?: BlobReference };

/** What the user sent, shown where its turn started. */
export interface PromptItem extends ItemBase {
  readonly type: "prompt";
  readonly promptId: string;
  readonly turnId: string;
  readonly content: readonly Block[];
  readonly by: string | null;
  /** How many characters of it the agent has sent back as `user_message_chunk`; they are not shown twice. */
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
  /** `user`: the agent reports a message of the user that is no prompt of ours. */
  readonly role: "agent" | "user";
  readonly messageId: string | null;
  readonly content: readonly Block[];
}

export interface ThoughtItem extends ItemBase {
  readonly type: "thought";
  readonly messageId: string | null;
  readonly content: readonly Block[];
}

/** Everything known of one tool call. Strings inside `content` and the raw fields may be blob references. */
export interface ToolCallItem extends ItemBase {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly title: string;
  readonly name: string | null;
  /** One of ACP's kinds, or whatever else the agent said. */
  readonly kind: string;
  /** The agent's word: one of ACP's four, or whatever else it said. */
  readonly status: string;
  /** Our word, where the agent gave no end: the turn was cancelled, or ended without it. */
  readonly ended: "cancelled" | "unfinished" | null;
  /** When it ended, by the agent's word or by ours; null while it is open. */
  readonly endedAt: number | null;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  /** The key of the subagent that this call started. */
  readonly subagent: string | null;
  readonly execution: Execution;
  /** Only updates were heard of it: the message that begins it may still come. */
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
    /** What was said with a rejection. */
    readonly note?: string;
  } | null;
}

export interface PermissionItem extends AskBase {
  readonly ask: "permission";
  /** The call that it is about: an item of the same thread. */
  readonly toolCallId: string | null;
  readonly options: readonly PermissionOption[];
  /** Why a person is asked although a rule would have allowed it, each a clause; absent where no rule would have. */
  readonly because?: readonly string[];
  /**
   * The sandbox stopped the command: it would run again, outside or with more opened. Or a confined program created protected
   * places, which would stay. No rule allows that.
   */
  readonly leavesSandbox?: true;
}

export interface QuestionItem extends AskBase {
  readonly ask: "question";
  readonly request: CreateElicitationRequest;
}

/** The end of a turn, where it is not simply `end_turn`. */
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

/** The agent came back: every start but the first. */
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

/** An update or an event that this version does not know, kept as it came. */
export interface UnknownItem extends ItemBase {
  readonly type: "unknown";
  readonly of: "update" | "event";
  /** Its `sessionUpdate` or its `kind`. */
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
}
