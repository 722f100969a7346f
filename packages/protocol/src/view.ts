import type {
  AgentCapabilities,
  AvailableCommand,
  Cost,
  Implementation,
  PlanEntry,
  SessionConfigOption,
  SessionModeState,
} from "@agentclientprotocol/sdk";
import type {
  AgentExited,
  AgentStarted,
  AgentWaiting,
  Confinement,
  LegacyModels,
  TurnChanged,
} from "./events.ts";
import type { AgentRun } from "./execution.ts";
import type { Block, Item, TurnEnd } from "./view/item.ts";

/**
 * A session as a person sees it: what `fold` makes of the log. Plain JSON data; a copy that went through
 * JSON folds on like the original. Nothing in it is ever changed in place, and what an event does not
 * touch keeps its identity.
 */
export interface SessionView extends Thread {
  /** The number of the last event folded; 0 when there is none. */
  readonly head: number;
  readonly session: SessionState;
  readonly agent: AgentState;
  readonly turn: TurnState;
  readonly lastTurn: EndedTurn | null;
  /** Prompts that wait for their turn, first come first served. */
  readonly queue: readonly QueuedPrompt[];
  /** What waits for an answer, in this thread or in a subagent's. */
  readonly openAsks: readonly OpenAsk[];
  readonly modes: SessionModeState | null;
  readonly configOptions: readonly SessionConfigOption[] | null;
  readonly models: LegacyModels | null;
  readonly commands: readonly AvailableCommand[];
  readonly subagents: readonly Subagent[];
  readonly terminals: readonly TerminalView[];
  readonly files: FilesView;
  /** How many unknown updates and events there were; the first `unknownUpdatesKept` are items. */
  readonly unknownCount: number;
  /** When something happened in it last, in a turn or by a person; null when nothing has. */
  readonly activeAt: number | null;
}

/** What the session itself and each of its subagents have. */
export interface Thread {
  readonly items: readonly Item[];
  /** The plan that `plan` replaces as a whole. */
  readonly plan: readonly PlanEntry[];
  /** Plans with an id of their own (unstable `plan_update`). */
  readonly plans: readonly NamedPlan[];
  readonly usage: UsageView | null;
  /** Set when older items were left out: how many, and the event before which they are to be read. */
  readonly trimmed: { readonly items: number; readonly before: number } | null;
}

export interface SessionState {
  /** The id of the agent as the catalog knows it; empty until the session was opened. */
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly title: string | null;
  /** A title that a person gave is not changed by the agent. */
  readonly titleBy: "person" | "agent" | null;
  /** The beginning of the first prompt. */
  readonly firstPrompt: string | null;
  readonly parent: string | null;
  readonly openedBy: string | null;
  readonly openedAt: number | null;
  /** Until its agent is started again. */
  readonly closedBy: string | null;
  readonly closedAt: number | null;
}

export interface AgentState {
  readonly state: "none" | "running" | "exited";
  /** Set while it waits for another agent to end. */
  readonly waiting?: Pick<AgentWaiting, "running" | "limit">;
  /** How often it was started. */
  readonly starts: number;
  readonly agentSessionId: string | null;
  readonly how: AgentStarted["how"] | null;
  readonly info: Implementation | null;
  readonly capabilities: AgentCapabilities | null;
  /** How it ended last. */
  readonly exit: AgentExit | null;
  /** How it was started, oldest first: one entry for each start that differs from the one before. */
  readonly runs: readonly AgentRun[];
  readonly noise: NoiseView;
}

export interface AgentExit {
  readonly at: number;
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  readonly because?: NonNullable<AgentExited["because"]>;
}

/** What the agent wrote to stdout that was no protocol: how many lines, and the latest of them. */
export interface NoiseView {
  readonly count: number;
  readonly lines: readonly string[];
  readonly reason: string | null;
}

export interface TurnState {
  readonly state: "idle" | TurnChanged["state"];
  readonly turnId: string | null;
  readonly promptId: string | null;
  /** How far the cancel ladder has gone. */
  readonly rung: NonNullable<TurnChanged["rung"]> | null;
  /** The number of the event that started it. */
  readonly first: number | null;
  readonly startedAt: number | null;
  /** Who asked for the last change of state. */
  readonly changedBy: string | null;
}

export interface EndedTurn extends TurnEnd {
  readonly turnId: string;
  readonly promptId: string | null;
  readonly startedAt: number | null;
}

export interface QueuedPrompt {
  readonly promptId: string;
  readonly content: readonly Block[];
  readonly by: string;
  readonly at: number;
  readonly first: number;
  readonly last: number;
}

export interface OpenAsk {
  readonly askId: string;
  /** The key of its item. */
  readonly item: string;
  /** The key of the subagent in whose thread it is; null for the session's own. */
  readonly subagent: string | null;
}

export interface UsageView {
  readonly used: number;
  readonly size: number;
  readonly cost: Cost | null;
}

export type NamedPlan =
  | { readonly planId: string; readonly type: "items"; readonly entries: readonly PlanEntry[] }
  | { readonly planId: string; readonly type: "file"; readonly uri: string }
  | { readonly planId: string; readonly type: "markdown"; readonly content: string };

/** A node of the tree: an agent that this session's agent started. */
export interface Subagent extends Thread {
  readonly key: string;
  readonly first: number;
  readonly last: number;
  /** The key of the subagent that started it; null when the session's own agent did. */
  readonly parent: string | null;
  /** The tool call that started it, an item of the parent's thread. */
  readonly toolCallId: string | null;
  /** The tool call that it says has started it, while that one does not show yet that it runs a subagent. */
  readonly awaits?: string;
  /** The agent's id of the child session, once it is known. */
  readonly sessionId: string | null;
  readonly agentType: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly model: string | null;
  /** `pending`, `running`, `completed`, `failed`, `cancelled`, `unfinished`, `idle`, `requires_action`, or the agent's word. */
  readonly state: string;
  readonly toolsUsed: readonly ToolUse[];
  readonly cancellable: boolean;
}

export interface ToolUse {
  readonly tool: string;
  readonly title: string | null;
  readonly status: string | null;
}

export interface TerminalView {
  readonly terminalId: string;
  readonly first: number;
  readonly last: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** `agent`: the agent shows it as its own; the gateway ran nothing in it. */
  readonly by: "landline" | "agent";
  /** How its latest run is confined; null: not by Landline. Absent where it was not recorded. */
  readonly confinement?: Confinement | null;
  /** It was run again outside the sandbox. */
  readonly hasLeftSandbox?: true;
  /** The ask that allowed it to run again. */
  readonly restartAsk?: string;
  /** The latest output; the log has all of it. */
  readonly text: string;
  /** Whether older output was left out. */
  readonly truncated: boolean;
  readonly exit: { readonly exitCode: number | null; readonly signal: string | null } | null;
}

export interface FilesView {
  readonly reads: number;
  readonly writes: number;
  /** One entry a path, in the order of first use, at most `filesKept`. */
  readonly touched: readonly TouchedFile[];
}

export interface TouchedFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly last: number;
}
