import type { ContentBlock, PlanEntry } from "@agentclientprotocol/sdk";
import type { PermissionLevel } from "../config/permission-level.ts";
import type { Approval } from "../permission/approval.ts";
import type { Rule } from "../permission/rule.ts";
import type { ToolContent, ToolView } from "../tools/tool.ts";
import type { RanConfined } from "../workspace/workspace.ts";

/**
 * The records of a session, append-only, one per line. State, model messages and client updates are all
 * derived from them, live and on replay.
 */
export type SessionRecord =
  | SessionCreated
  | PromptSent
  | StepStarted
  | TextAdded
  | ThoughtAdded
  | ToolCalled
  | ToolEnded
  | StepEnded
  | TurnEnded
  | PlanChanged
  | OptionsChanged
  | TitleChanged
  | RuleApproved
  | Compacted
  | SubagentSpent
  | NoticeGiven
  | AttachmentsRefused
  | FileSeen
  | FileChanged
  | FilesRestored;

/** Shown live but not stored: a later record contains it. */
export type TransientEvent =
  | { kind: "text-streamed"; stepId: string; partId: string; delta: string }
  | { kind: "thought-streamed"; stepId: string; partId: string; delta: string }
  | { kind: "tool-announced"; stepId: string; callId: string; tool: string }
  | { kind: "tool-running"; callId: string }
  /** The model was stopped while it wrote the input, so there is no call. */
  | { kind: "tool-withdrawn"; callId: string }
  | { kind: "tool-progressed"; callId: string; view: Partial<ToolView> }
  /** The project's files were read again; commands, rules and servers may have changed. */
  | { kind: "project-reopened" }
  | { kind: "retry-scheduled"; attempt: number; delayMs: number; reason: string }
  | {
      kind: "compaction-changed";
      compactionId: string;
      status: "started" | "failed";
      error?: string;
    }
  | { kind: "context-measured"; used: number; size: number; cost?: Cost };

export type AgentEvent = SessionRecord | TransientEvent;

/** A record without its timestamp. */
export type NewRecord = SessionRecord extends infer Each
  ? Each extends SessionRecord
    ? Omit<Each, "at">
    : never
  : never;

interface Timestamped {
  /** Milliseconds since 1970. */
  at: number;
}

export interface SessionCreated extends Timestamped {
  kind: "session-created";
  version: 1;
  sessionId: string;
  cwd: string;
  directories: string[];
  /** Set for a subagent's session, which is not listed but can be loaded. */
  parent?: { sessionId: string; callId: string; agent: string };
  forkedFrom?: string;
}

/** `content` is what the client sent, for replay; `parts` is what the model reads. */
export interface PromptSent extends Timestamped {
  kind: "prompt-sent";
  promptId: string;
  content: ContentBlock[];
  parts: UserPart[];
}

/**
 * A part of a prompt as the model reads it: text, or the index of a block (image, audio, blob) of the prompt.
 */
export type UserPart =
  /** `file` is set when the text is a file's content. */
  { type: "text"; text: string; file?: SeenFile } | { type: "block"; index: number };

export interface StepStarted extends Timestamped {
  kind: "step-started";
  stepId: string;
  promptId: string;
  modelId: string;
}

/** `provider` is data that the provider needs back with the part (a signature, encrypted reasoning). */
export interface TextAdded extends Timestamped {
  kind: "text-added";
  stepId: string;
  partId: string;
  text: string;
  provider?: Record<string, unknown>;
}

export interface ThoughtAdded extends Timestamped {
  kind: "thought-added";
  stepId: string;
  partId: string;
  text: string;
  provider?: Record<string, unknown>;
}

export interface ToolCalled extends Timestamped {
  kind: "tool-called";
  stepId: string;
  callId: string;
  tool: string;
  input: unknown;
  view: ToolView;
  provider?: Record<string, unknown>;
}

export interface ToolEnded extends Timestamped {
  kind: "tool-ended";
  callId: string;
  status: "completed" | "failed";
  /** What the model reads. */
  output: string;
  /** Images and documents that the model reads with it. */
  attachments?: Attachment[];
  /** What the user sees. Never a terminal, which would not exist on replay. */
  content: ToolContent[];
  /** The client's terminal in which it ran, shown instead of the text while it exists. */
  terminalId?: string;
  title?: string;
  locations?: ToolView["locations"];
  rawOutput: Record<string, unknown>;
  /** Why it failed; a reason of seed 003 where it has one. */
  reason?: string;
  /** Absent in older records, and when the agent ended while the call ran. */
  execution?: Execution;
}

/** How a call ran. */
export interface Execution {
  /** Null when it was not confined. */
  confinement: RanConfined | null;
  /** It ran confined first and then again outside the sandbox. */
  hasLeftSandbox?: true;
  approval: Approval;
}

export interface Attachment {
  mimeType: string;
  /** Base64. */
  data: string;
  name?: string;
}

export interface StepEnded extends Timestamped {
  kind: "step-ended";
  stepId: string;
  finish: "stop" | "tool-calls" | "length" | "refusal" | "error" | "cancelled";
  usage?: Usage;
  cost?: Cost;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  thoughtTokens: number;
  cachedReadTokens: number;
  cachedWriteTokens: number;
}

export interface Cost {
  amount: number;
  currency: string;
}

export interface TurnEnded extends Timestamped {
  kind: "turn-ended";
  promptId: string;
  stopReason: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "failed";
  /** Set when it failed: the message of the error response. */
  error?: string;
}

export interface PlanChanged extends Timestamped {
  kind: "plan-changed";
  entries: PlanEntry[];
}

/** Only the options that changed. */
export interface OptionsChanged extends Timestamped {
  kind: "options-changed";
  mode?: string;
  model?: string;
  effort?: string;
  permissions?: PermissionLevel;
  /** Set when the level was reset because the session was reopened: the level before. */
  resetFrom?: PermissionLevel;
}

export type { PermissionLevel };

export interface TitleChanged extends Timestamped {
  kind: "title-changed";
  title: string;
}

/** "Always" or "never" answers of the user; they apply to this session. */
export interface RuleApproved extends Timestamped {
  kind: "rule-approved";
  rules: Rule[];
}

/** From here on the model reads the summary and everything from `keepFrom` (a prompt or step id) on. */
export interface Compacted extends Timestamped {
  kind: "compacted";
  compactionId: string;
  summary: string;
  keepFrom: string | null;
  /** Usage and cost of the summary. */
  usage?: Usage;
  cost?: Cost;
}

/** Usage of one step or summary of a subagent, counted as this session's. */
export interface SubagentSpent extends Timestamped {
  kind: "subagent-spent";
  /** Its `task` call. */
  callId: string;
  usage?: Usage;
  cost?: Cost;
}

export interface NoticeGiven extends Timestamped {
  kind: "notice-given";
  severity: "info" | "warning" | "error";
  title: string;
  description?: string;
}

/**
 * Attachments that a provider refused. The model reads a note in their place, so that they are not sent
 * again.
 */
export interface AttachmentsRefused extends Timestamped {
  kind: "attachments-refused";
  modelId: string;
  attachments: AttachmentReference[];
  /** The provider's message. */
  problem: string;
}

/** A block of a prompt or an attachment of a tool result. */
export interface AttachmentReference {
  /** Id of the prompt or call. */
  id: string;
  index: number;
}

/** The lines of a file that the model has read. */
export interface SeenFile {
  /** Absolute, with links followed. */
  path: string;
  /** Hash of the whole text (`textHash`), even when only a part was read. */
  hash: string;
  /** Counted from 1; `last` is less than `first` when no line was read. */
  lines: { first: number; last: number; total: number };
}

/** A text of a file that the model read or wrote. Edits are refused when the file has another text. */
export interface FileSeen extends Timestamped, SeenFile {
  kind: "file-seen";
  promptId: string;
  callId: string;
}

/** A file that a tool changed, for undo. Null text: the file did not exist. */
export interface FileChanged extends Timestamped {
  kind: "file-changed";
  promptId: string;
  callId: string;
  path: string;
  /** The path with links resolved. Missing: there were none below the session's folder. */
  real?: string;
  before: string | null;
  after: string | null;
}

/** An undo or redo. It removes the prompt from what the model reads, or restores it. */
export interface FilesRestored extends Timestamped {
  kind: "files-restored";
  direction: "undo" | "redo";
  promptId: string;
  paths: string[];
}
