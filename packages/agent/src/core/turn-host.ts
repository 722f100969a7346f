import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { PermissionLevel } from "../config/permission-level.ts";
import type { ModelInfo } from "../model/model.ts";
import type { StepPart, StepRequest } from "../model/stream.ts";
import type { Approval } from "../permission/approval.ts";
import type { OfferedOption, PermissionRequest, SandboxOpenings } from "../permission/rule.ts";
import type { Tool, ToolView } from "../tools/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CallIds } from "./tool-call-ids.ts";
import type { NewRecord, TransientEvent } from "./record.ts";
import type { SessionState } from "./state.ts";

export interface TurnHost {
  readonly state: SessionState;
  readonly workspace: Workspace;
  /** The permission level of the root session. */
  readonly level: PermissionLevel;
  readonly callIds: CallIds;
  /** Appends a record to the file and the state, and shows it. */
  append(record: NewRecord): void;
  show(event: TransientEvent): void;
  /** Called before each step, because mode, model and tools may change in between. */
  planStep(): Promise<StepPlan>;
  stream(request: StepRequest): AsyncIterable<StepPart>;
  /** Resolves when it is allowed; throws PermissionRefused. `options` replace the default answers. */
  ask(
    call: HostedCall,
    requests: readonly PermissionRequest[],
    signal: AbortSignal,
    options?: readonly OfferedOption[],
  ): Promise<Permitted>;
  /** What the user opened for commands in their sandbox. */
  openings(): SandboxOpenings;
  /** Awaited before a tool runs that may change files. */
  beforeChange(): Promise<void>;
  withFile<Value>(path: string, signal: AbortSignal, work: () => Promise<Value>): Promise<Value>;
  /** Truncates a long output; the whole text is stored in a file that the model may read. */
  truncate(output: string, callId: string): Promise<string>;
}

export interface Permitted {
  readonly approval: Approval;
  /** The chosen option; null when nobody was asked or no options were given. */
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
