import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { z } from "zod";
import type { PermissionLevel } from "../config/permission-level.ts";
import type { Attachment, NewRecord } from "../core/record.ts";
import type { KnownFile } from "../core/seen-files.ts";
import type { OfferedOption, PermissionRequest, SandboxOpenings } from "../permission/rule.ts";
import type { RanConfined, Workspace } from "../workspace/workspace.ts";

export type ToolContent = Exclude<ToolCallContent, { type: "terminal" }>;

/** How a call is shown. */
export interface ToolView {
  title: string;
  kind: ToolKind;
  locations: ToolCallLocation[];
  content: ToolCallContent[];
}

/** A tool. Its description stands in a markdown file beside it, because it is prose for a model. */
export interface Tool<Input = unknown> {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  kind: ToolKind;
  /** The permission that a rule `deny *` must name to take the tool off the model's list. */
  permission: string;
  /** How the call is shown before it runs. Total: `input` may still be refused by the schema. */
  view(input: Partial<Input>, workspace: Workspace): Omit<ToolView, "kind">;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface ToolResult {
  /** What the model reads. The loop cuts it (tools/truncate.ts) and keeps the whole text. */
  output: string;
  attachments?: Attachment[];
  /** What people see; the output as text unless told. */
  content?: ToolContent[];
  terminalId?: string;
  title?: string;
  locations?: ToolCallLocation[];
  /** Goes into `rawOutput.metadata`. */
  metadata?: Record<string, unknown>;
}

/** What a running tool may do. Everything that it starts ends with `signal`. */
export interface ToolContext {
  readonly sessionId: string;
  readonly promptId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  /** How much the session asks now. */
  readonly level: PermissionLevel;
  /** Resolves when all is allowed, by rule or by a person; throws PermissionRefused otherwise. People are asked once. */
  ask(...requests: readonly PermissionRequest[]): Promise<void>;
  /**
   * Asks with answers of the question's own, where nothing allows the requests yet. Resolves to the option that the person
   * chose; null: nobody had to be asked. Throws PermissionRefused.
   */
  choose(
    requests: readonly PermissionRequest[],
    options: readonly OfferedOption[],
  ): Promise<string | null>;
  /** What the person opened for commands in their sandbox, for the rest of the session. */
  openings(): SandboxOpenings;
  /** Tells how it ran; the last time counts. Null: it was not confined. */
  ranConfined(confinement: RanConfined | null): void;
  /** Shows how far it is. */
  progress(view: Partial<ToolView>): void;
  /** Keeps a record of the tool's doing (`file-changed`, `file-seen`, `plan-changed`). */
  keep(record: NewRecord): void;
  /** What the model knows of a file, by its path with links followed. Null: it never read the file. */
  knownFile(path: string): KnownFile | null;
  /** Runs `work` while no other tool of this process changes the file. */
  withFile<Value>(path: string, work: () => Promise<Value>): Promise<Value>;
}

/** A failure that the model should read and can act on. `reason` is seed 003's where it has one. */
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

/** A text as content of a call; none when it is empty. */
export function textContent(text: string): ToolContent[] {
  return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}
