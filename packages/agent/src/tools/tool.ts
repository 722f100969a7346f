import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { z } from "zod";
import type { PermissionLevel } from "../config/permission-level.ts";
import type { Attachment, NewRecord } from "../core/record.ts";
import type { KnownFile } from "../core/seen-files.ts";
import type { OfferedOption, PermissionRequest, SandboxOpenings } from "../permission/rule.ts";
import type { RanConfined, Workspace } from "../workspace/workspace.ts";

export type ToolContent = Exclude<ToolCallContent, { type: "terminal" }>;

export interface ToolView {
  title: string;
  kind: ToolKind;
  locations: ToolCallLocation[];
  content: ToolCallContent[];
}

export interface Tool<Input = unknown> {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  kind: ToolKind;
  /** The permission whose complete denial removes the tool. */
  permission: string;
  /** The view of a call before it runs. `input` may be invalid, so this must not throw. */
  view(input: Partial<Input>, workspace: Workspace): Omit<ToolView, "kind">;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface ToolResult {
  /** What the model reads. The loop truncates it (tools/truncate.ts) and stores the whole text. */
  output: string;
  attachments?: Attachment[];
  /** What the user sees; default: the output as text. */
  content?: ToolContent[];
  terminalId?: string;
  title?: string;
  locations?: ToolCallLocation[];
  /** Sent as `rawOutput.metadata`. */
  metadata?: Record<string, unknown>;
}

/** The interface of a running tool. Everything that it starts must end with `signal`. */
export interface ToolContext {
  readonly sessionId: string;
  readonly promptId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  /** The current permission level. */
  readonly level: PermissionLevel;
  /**
   * Resolves when all requests are allowed; throws PermissionRefused. The user is asked once for all of them.
   */
  ask(...requests: readonly PermissionRequest[]): Promise<void>;
  /**
   * Asks with custom options, if nothing allows the requests yet. Resolves to the chosen option; null when
   * nobody had to be asked. Throws PermissionRefused.
   */
  choose(
    requests: readonly PermissionRequest[],
    options: readonly OfferedOption[],
  ): Promise<string | null>;
  /** What the user opened for commands in their sandbox, for this session. */
  openings(): SandboxOpenings;
  /** Reports how the call ran; the last report counts. Null: not confined. */
  ranConfined(confinement: RanConfined | null): void;
  /** Shows progress. */
  progress(view: Partial<ToolView>): void;
  /** Appends a record (`file-changed`, `file-seen`, `plan-changed`). */
  append(record: NewRecord): void;
  /** What the model knows of a file, by its path with links resolved. Null: it never read the file. */
  knownFile(path: string): KnownFile | null;
  /** Runs `work` while no other tool of this process changes the file. */
  withFile<Value>(path: string, work: () => Promise<Value>): Promise<Value>;
}

/** A failure that the model can act on. `reason` is seed 003's where it has one. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly reason: string;
  readonly metadata: Record<string, unknown>;
  constructor(reason: string, message: string, metadata: Record<string, unknown> = {}) {
    super(message);
    this.reason = reason;
    this.metadata = metadata;
  }
}

/** Text as content; empty for an empty string. */
export function textContent(text: string): ToolContent[] {
  return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}
