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
 * The state of a session, as `fold` computes it from the log. It is plain JSON data and can be folded further after a
 * round trip through JSON. It is immutable, and parts that an event does not change keep their identity.
 */
export interface SessionView extends Thread {
  /** The sequence number of the last folded event; 0 when there is none. */
  readonly head: number;
  readonly session: SessionState;
  readonly agent: AgentState;
  readonly turn: TurnState;
  readonly lastTurn: EndedTurn | null;
  /** Prompts that wait for their turn, in order. */
  readonly queue: readonly QueuedPrompt[];
  /** Open asks of this thread and of all subagents. */
  readonly openAsks: readonly OpenAsk[];
  readonly modes: SessionModeState | null;
  readonly configOptions: readonly SessionConfigOption[] | null;
  readonly models: LegacyModels | null;
  readonly commands: readonly AvailableCommand[];
  readonly subagents: readonly Subagent[];
  readonly terminals: readonly TerminalView[];
  readonly files: FilesView;
  /** The number of unknown updates and events. The first `unknownUpdatesKept` are items. */
  readonly unknownCount: number;
  /** The time of the last activity of a turn or a person; null when there was none. */
  readonly activeAt: number | null;
}

/** The part of the state that the session and each subagent have. */
export interface Thread {
  readonly items: readonly Item[];
  /** The plan that `plan` replaces as a whole. */
  readonly plan: readonly PlanEntry[];
  /** Plans that have an id (unstable `plan_update`). */
  readonly plans: readonly NamedPlan[];
  readonly usage: UsageView | null;
  /** Set when older items were omitted: their number, and the event before which to read them. */
  readonly trimmed: { readonly items: number; readonly before: number } | null;
}

export interface SessionState {
  /** The agent's id in the catalog; empty until the session is opened. */
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly title: string | null;
  /** The agent does not replace a title that a person set. */
  readonly titleBy: "person" | "agent" | null;
  /** The beginning of the first prompt. */
  readonly firstPrompt: string | null;
  readonly parent: string | null;
  readonly openedBy: string | null;
  readonly openedAt: number | null;
  /** Who closed the session; null again when its agent restarts. */
  readonly closedBy: string | null;
  readonly closedAt: number | null;
}

export interface AgentState {
  readonly state: "none" | "running" | "exited";
  /** Set while the session waits for another agent to exit. */
  readonly waiting?: Pick<AgentWaiting, "running" | "limit">;
  /** The number of starts. */
  readonly starts: number;
  readonly agentSessionId: string | null;
  readonly how: AgentStarted["how"] | null;
  readonly info: Implementation | null;
  readonly capabilities: AgentCapabilities | null;
  /** The last exit. */
  readonly exit: AgentExit | null;
  /** The starts, oldest first. A start that equals the previous one adds no entry. */
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

/** Lines on the agent's stdout that are not JSON-RPC: their number and the latest ones. */
export interface NoiseView {
  readonly count: number;
  readonly lines: readonly string[];
  readonly reason: string | null;
}

export interface TurnState {
  readonly state: "idle" | TurnChanged["state"];
  readonly turnId: string | null;
  readonly promptId: string | null;
  /** The last step that the cancellation has reached. */
  readonly rung: NonNullable<TurnChanged["rung"]> | null;
  /** The sequence number of the `turn-started` event. */
  readonly first: number | null;
  readonly startedAt: number | null;
  /** Who requested the last change of state. */
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
  /** The key of the subagent whose thread has the item; null for the session's own thread. */
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

/** A node of the subagent tree. */
export interface Subagent extends Thread {
  readonly key: string;
  readonly first: number;
  readonly last: number;
  /** The key of the subagent that started it; null when the session's own agent did. */
  readonly parent: string | null;
  /** The tool call that started it, an item of the parent's thread. */
  readonly toolCallId: string | null;
  /** The tool call that the subagent names as its start, until that call is known to run a subagent. */
  readonly awaits?: string;
  /** The agent's id of the child session; null until it is known. */
  readonly sessionId: string | null;
  readonly agentType: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly model: string | null;
  /**
   * `pending`, `running`, `completed`, `failed`, `cancelled`, `unfinished`, `idle`, `requires_action`, or a value of
   * the agent.
   */
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
  /** `agent`: the agent runs and reports the terminal; the gateway ran nothing in it. */
  readonly by: "landline" | "agent";
  /** The confinement of the latest run: null when Landline did not confine it, absent when it was not recorded. */
  readonly confinement?: Confinement | null;
  /** The command ran again outside the sandbox. */
  readonly hasLeftSandbox?: true;
  /** The name of the editor in which the terminal is; absent when the gateway runs it. */
  readonly editor?: string;
  /** The ask that permitted the second run. */
  readonly restartAsk?: string;
  /** The end of the output. The log has all of it. */
  readonly text: string;
  /** Whether older output was omitted. */
  readonly truncated: boolean;
  readonly exit: { readonly exitCode: number | null; readonly signal: string | null } | null;
}

export interface FilesView {
  readonly reads: number;
  readonly writes: number;
  /** One entry per path, in the order of first use, at most `filesKept`. */
  readonly touched: readonly TouchedFile[];
}

export interface TouchedFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  readonly last: number;
}
