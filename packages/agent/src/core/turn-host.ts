import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { PermissionLevel } from "../config/permission-level.ts";
import type { ModelInfo } from "../model/model.ts";
import type { StepPart, StepRequest } from "../model/stream.ts";
import type { Approval } from "../permission/approval.ts";
import type { OfferedOption, PermissionRequest, SandboxOpenings } from "../permission/rule.ts";
import type { Tool, ToolView } from "../tools/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CallIds } from "./tool-call-ids.ts";
import type { NewRecord, PassingEvent } from "./record.ts";
import type { SessionState } from "./state.ts";

/** What a turn needs of its session. */
export interface TurnHost {
  readonly state: SessionState;
  readonly workspace: Workspace;
  /** How much is asked, by the session that people see. */
  readonly level: PermissionLevel;
  readonly callIds: CallIds;
  /** Keeps a record: on its way to disk, in the state, and shown. */
  keep(record: NewRecord): void;
  show(event: PassingEvent): void;
  /** Asked before each step, because mode, model and tools may change between two. */
  planStep(): Promise<StepPlan>;
  stream(request: StepRequest): AsyncIterable<StepPart>;
  /** Resolves when it is allowed; throws PermissionRefused. `options` are offered in place of the usual answers. */
  ask(
    call: HostedCall,
    requests: readonly PermissionRequest[],
    signal: AbortSignal,
    options?: readonly OfferedOption[],
  ): Promise<Permitted>;
  /** What the person opened for commands in their sandbox. */
  openings(): SandboxOpenings;
  /** Awaited before a tool runs that may change something. */
  beforeChange(): Promise<void>;
  withFile<Value>(path: string, signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
  /** Cuts what a model can't read at once; the whole text is kept in a file that it may read. */
  truncate(output: string, callId: string): Promise<string>;
}

export interface Permitted {
  readonly approval: Approval;
  /** The option that the person chose; null when nobody was asked, or no options were offered. */
  readonly option: string | null;
}

export interface HostedCall {
  callId: string;
  tool: string;
  view: ToolView;
  input: unknown;
}

export interface StepPlan {
  info: ModelInfo;
  model: LanguageModelV4;
  providerOptions: Record<string, Record<string, unknown>>;
  system: string;
  tools: ReadonlyMap<string, Tool>;
  stepsMax: number;
  compacts: boolean;
}
