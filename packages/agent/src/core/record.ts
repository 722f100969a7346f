import type { ContentBlock, PlanEntry } from "@agentclientprotocol/sdk";
import type { PermissionLevel } from "../config/permission-level.ts";
import type { Approval } from "../permission/approval.ts";
import type { Rule } from "../permission/rule.ts";
import type { ToolContent, ToolView } from "../tools/tool.ts";
import type { RanConfined } from "../workspace/workspace.ts";

/**
 * What a session is made of: one record a line, append-only. The state, the model's messages and the
 * client's updates are all folded from these, live and replayed alike, so nothing can be shown that
 * is not kept, and nothing is kept that can't be shown.
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

/** What is shown while it happens and not kept: a record follows that holds all of it. */
export type PassingEvent =
  | { kind: "text-streamed"; stepId: string; partId: string; delta: string }
  | { kind: "thought-streamed"; stepId: string; partId: string; delta: string }
  | { kind: "tool-announced"; stepId: string; callId: string; tool: string }
  | { kind: "tool-running"; callId: string }
  /** The model was stopped while it wrote the call's input: there was no call. */
  | { kind: "tool-withdrawn"; callId: string }
  | { kind: "tool-progressed"; callId: string; view: Partial<ToolView> }
  /** Its files were read again: commands, rules and servers may be others now. */
  | { kind: "project-reopened" }
  | { kind: "retry-scheduled"; attempt: number; delayMs: number; reason: string }
  | {
      kind: "compaction-changed";
      compactionId: string;
      status: "started" | "failed";
      error?: string;
    }
  | { kind: "context-measured"; used: number; size: number; cost?: Cost };

export type AgentEvent = SessionRecord | PassingEvent;

/** A record before it has its time. */
export type NewRecord = SessionRecord extends infer Each
  ? Each extends SessionRecord
    ? Omit<Each, "at">
    : never
  : never;

interface Stamped {
  /** Milliseconds since 1970. */
  at: number;
}

export interface SessionCreated extends Stamped {
  kind: "session-created";
  version: 1;
  sessionId: string;
  cwd: string;
  directories: string[];
  /** Set for the session of a subagent: it is not listed, but can be loaded. */
  parent?: { sessionId: string; callId: string; agent: string };
  forkedFrom?: string;
}

/** `content` is what the client sent, for replay; `parts` what the model reads. */
export interface PromptSent extends Stamped {
  kind: "prompt-sent";
  promptId: string;
  content: ContentBlock[];
  parts: UserPart[];
}

/** A part of a prompt as the model reads it: text, or one of the prompt's own blocks (an image, audio, a blob) by its place. */
export type UserPart =
  /** `file` is set when the text is that of a file. */
  { type: "text"; text: string; file?: SeenFile } | { type: "block"; index: number };

export interface StepStarted extends Stamped {
  kind: "step-started";
  stepId: string;
  promptId: string;
  modelId: string;
}

/** `provider` is what the provider wants back with the part (a signature, an encrypted thought). */
export interface TextAdded extends Stamped {
  kind: "text-added";
  stepId: string;
  partId: string;
  text: string;
  provider?: Record<string, unknown>;
}

export interface ThoughtAdded extends Stamped {
  kind: "thought-added";
  stepId: string;
  partId: string;
  text: string;
  provider?: Record<string, unknown>;
}

export interface ToolCalled extends Stamped {
  kind: "tool-called";
  stepId: string;
  callId: string;
  tool: string;
  input: unknown;
  view: ToolView;
  provider?: Record<string, unknown>;
}

export interface ToolEnded extends Stamped {
  kind: "tool-ended";
  callId: string;
  status: "completed" | "failed";
  /** What the model reads. */
  output: string;
  /** Pictures and documents that the model reads beside it. */
  attachments?: Attachment[];
  /** What people see; holds no terminal, because a terminal is gone when this is replayed. */
  content: ToolContent[];
  /** A terminal of the client in which it ran, shown instead of its text while the client still has it. */
  terminalId?: string;
  title?: string;
  locations?: ToolView["locations"];
  rawOutput: Record<string, unknown>;
  /** Why it failed, in seed 003's words where it has one. */
  reason?: string;
  /** Absent in older records, and when the agent ended while the call ran. */
  execution?: Execution;
}

/** How a call ran. */
export interface Execution {
  /** Null: it was not confined. */
  confinement: RanConfined | null;
  /** It ran confined first, and was then run again outside. */
  hasLeftSandbox?: true;
  approval: Approval;
}

export interface Attachment {
  mimeType: string;
  /** Base64. */
  data: string;
  name?: string;
}

export interface StepEnded extends Stamped {
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

export interface TurnEnded extends Stamped {
  kind: "turn-ended";
  promptId: string;
  stopReason: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "failed";
  /** Set when it failed: the words that the client got as an error. */
  error?: string;
}

export interface PlanChanged extends Stamped {
  kind: "plan-changed";
  entries: PlanEntry[];
}

/** The session's choices; only what changed is there. */
export interface OptionsChanged extends Stamped {
  kind: "options-changed";
  mode?: string;
  model?: string;
  effort?: string;
  permissions?: PermissionLevel;
  /** Set when nobody chose `permissions`: the session was opened again, and the level that it had ended. */
  resetFrom?: PermissionLevel;
}

export type { PermissionLevel };

export interface TitleChanged extends Stamped {
  kind: "title-changed";
  title: string;
}

/** "Always" or "never" of a person: it holds for this session. */
export interface RuleApproved extends Stamped {
  kind: "rule-approved";
  rules: Rule[];
}

/** From here on the model reads the summary, and then what came at and after `keepFrom` (a prompt or step id). */
export interface Compacted extends Stamped {
  kind: "compacted";
  compactionId: string;
  summary: string;
  keepFrom: string | null;
  /** What the summary took. */
  usage?: Usage;
  cost?: Cost;
}

/** What a subagent took for one step or summary: part of what this session took. */
export interface SubagentSpent extends Stamped {
  kind: "subagent-spent";
  /** The `task` call that it works for. */
  callId: string;
  usage?: Usage;
  cost?: Cost;
}

export interface NoticeGiven extends Stamped {
  kind: "notice-given";
  severity: "info" | "warning" | "error";
  title: string;
  description?: string;
}

/** A provider refused them. The model reads a note in their place, so that they are not sent with every prompt. */
export interface AttachmentsRefused extends Stamped {
  kind: "attachments-refused";
  modelId: string;
  attachments: AttachmentPlace[];
  /** The provider's words, and whose they are. */
  problem: string;
}

/** A block of a prompt, or an attachment of a call's result. */
export interface AttachmentPlace {
  /** Of the prompt or the call. */
  id: string;
  index: number;
}

/** What the model read of a file's text. */
export interface SeenFile {
  /** Absolute, with links followed. */
  path: string;
  /** Of the whole text (`textHash`), also when only a part was read. */
  hash: string;
  /** Counted from 1; `last` is less than `first` when no line was read. */
  lines: { first: number; last: number; total: number };
}

/** A file's text that the model read or wrote. Edits are refused when the file has another text. */
export interface FileSeen extends Stamped, SeenFile {
  kind: "file-seen";
  promptId: string;
  callId: string;
}

/** One file that a tool changed, for undo. Null text: there was no file. */
export interface FileChanged extends Stamped {
  kind: "file-changed";
  promptId: string;
  callId: string;
  path: string;
  before: string | null;
  after: string | null;
}

/** An undo or redo: after it, the prompts named are out of (or back in) what the model reads. */
export interface FilesRestored extends Stamped {
  kind: "files-restored";
  direction: "undo" | "redo";
  promptId: string;
  paths: string[];
}
