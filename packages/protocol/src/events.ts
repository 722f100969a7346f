import type {
  AgentCapabilities,
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  Implementation,
  PermissionOption,
  RequestPermissionOutcome,
  SessionConfigOption,
  SessionModeState,
  StopReason,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";

/**
 * The vocabulary of the log. One event is one line; `seq` is dense, starts at 1, and never changes.
 * Fields may be added, never renamed: old logs stay readable for ever.
 */
export type SessionEvent = EventBody & Numbered;

/** What the log adds to a body: the number, and the time in milliseconds since 1970. */
export interface Numbered {
  readonly seq: number;
  readonly at: number;
}

export type EventBody =
  | SessionOpened
  | SessionChanged
  | SessionClosed
  | AgentWaiting
  | AgentStarted
  | AgentExited
  | AgentNoise
  | OptionsChanged
  | PromptQueued
  | PromptChanged
  | PromptWithdrawn
  | PromptMoved
  | TurnStarted
  | TurnChanged
  | TurnEnded
  | Update
  | AskOpened
  | AskExplained
  | AskSettled
  | FileRead
  | FileWritten
  | TerminalOpened
  | TerminalRestarted
  | TerminalOutput
  | TerminalExited
  | ErrorRaised;

export type EventKind = EventBody["kind"];

/** Who did it: the id of an attached client, the id of a rule, or the gateway itself and why. */
export type Actor =
  | { readonly client: string }
  | { readonly rule: string }
  | { readonly gateway: GatewayReason };

/** `withdrawn`: the agent took the ask back. `completed`: it says that what it asked for was done elsewhere. */
export type GatewayReason =
  | "turn-cancelled"
  | "turn-ended"
  | "agent-gone"
  | "timeout"
  | "policy"
  | "withdrawn"
  | "completed";

export interface SessionOpened {
  readonly kind: "session-opened";
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly title: string | null;
  /** The session that this one was forked from or belongs to. */
  readonly parent: string | null;
  /** The agent's own id of the copy that it made of the parent's session, where it made one. */
  readonly agentSessionId?: string;
  readonly by: string;
}

export interface SessionChanged {
  readonly kind: "session-changed";
  readonly title?: string | null;
  readonly cwd?: string;
  readonly roots?: readonly string[];
  readonly by?: string;
}

export interface SessionClosed {
  readonly kind: "session-closed";
  readonly by: string;
}

/** The agent is started when another ends: as many run as may. */
export interface AgentWaiting {
  readonly kind: "agent-waiting";
  readonly running: number;
  readonly limit: number;
}

export interface AgentStarted {
  readonly kind: "agent-started";
  readonly agentSessionId: string;
  /** How the conversation came back to the agent. `fork`: it copied the one that this session was forked from. */
  readonly how: "new" | "resume" | "load" | "fork" | "transcript";
  readonly info: Implementation | null;
  readonly capabilities: AgentCapabilities;
  /** How the whole agent is confined; null: it is not. Absent in older logs. */
  readonly confinement?: Confinement | null;
  /** The gateway started Landline's own agent, and none that a config put in its place. */
  readonly isBuiltIn?: true;
}

/** How the operating system confined a program. */
export interface Confinement {
  readonly sandbox: "bubblewrap" | "sandbox-exec";
  /** `off`, `on`, or the hosts that it may reach. */
  readonly network: "off" | "on" | readonly string[];
}

export interface AgentExited {
  readonly kind: "agent-exited";
  readonly code: number | null;
  readonly signal: string | null;
  /** The tail of what it wrote to stderr. */
  readonly stderr: string;
  /** Why the gateway ended it while nothing ran: it was idle for long, another session needed its place, or `by` signed out. */
  readonly because?: "idle" | "room" | "signed-out";
  readonly by?: string;
}

/** Lines on stdout that were not protocol: the first few of a burst, and how many there were. */
export interface AgentNoise {
  readonly kind: "agent-noise";
  readonly lines: readonly string[];
  readonly count: number;
  readonly reason: string;
}

export interface OptionsChanged {
  readonly kind: "options-changed";
  readonly modes?: SessionModeState | null;
  readonly configOptions?: readonly SessionConfigOption[] | null;
  readonly models?: LegacyModels | null;
  /** Who chose; absent when the agent or its end changed them. */
  readonly by?: string;
}

/** The older model choice, in no schema now; sixteen of thirty registry agents still answer it. */
export interface LegacyModels {
  readonly currentModelId: string;
  readonly availableModels: readonly {
    readonly modelId: string;
    readonly name: string;
    readonly description?: string | null;
  }[];
}

export interface PromptQueued {
  readonly kind: "prompt-queued";
  /** Made by the client: a repeat is acknowledged, not repeated. */
  readonly promptId: string;
  readonly content: readonly ContentBlock[];
  readonly by: string;
}

export interface PromptChanged {
  readonly kind: "prompt-changed";
  readonly promptId: string;
  readonly content: readonly ContentBlock[];
  readonly by: string;
}

export interface PromptWithdrawn {
  readonly kind: "prompt-withdrawn";
  readonly promptId: string;
  readonly by: string;
}

/** To another place among those that wait. */
export interface PromptMoved {
  readonly kind: "prompt-moved";
  readonly promptId: string;
  /** The one that it now stands before; null: it is the last. */
  readonly before: string | null;
  readonly by: string;
}

export interface TurnStarted {
  readonly kind: "turn-started";
  readonly turnId: string;
  readonly promptId: string;
}

/** The watchdog found the turn silent, or the cancel ladder went up a rung. */
export interface TurnChanged {
  readonly kind: "turn-changed";
  readonly turnId: string;
  readonly state: "running" | "stalled" | "cancelling";
  readonly rung?: "cancel" | "cancel-request" | "restart";
  readonly by?: string;
}

export interface TurnEnded {
  readonly kind: "turn-ended";
  readonly turnId: string;
  /** `interrupted`: the gateway was killed under it, or this is a copy that was made while it ran. `failed`: see `error`. */
  readonly stopReason: StopReason | "interrupted" | "failed";
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage?: TurnUsage;
}

export interface TurnUsage {
  readonly totalTokens?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly thoughtTokens?: number | null;
  readonly cachedReadTokens?: number | null;
  readonly cachedWriteTokens?: number | null;
}

/**
 * One ACP `session/update`: the bytes of the agent's `params.update`. It may be of a kind or a spelling
 * that nobody knows, so it is typed as what it is; `normalise/update.ts` reads it.
 */
export interface Update {
  readonly kind: "update";
  readonly update: RawUpdate;
  /** The agent's id of the child session that it was for, when it was not for this one. */
  readonly child?: string;
}

export type RawUpdate = Readonly<Record<string, unknown>>;

export type AskOpened = PermissionOpened | QuestionOpened;

export interface PermissionOpened {
  readonly kind: "ask-opened";
  readonly askId: string;
  readonly ask: "permission";
  readonly toolCall: ToolCallUpdate;
  readonly options: readonly PermissionOption[];
  readonly child?: string;
}

export interface QuestionOpened {
  readonly kind: "ask-opened";
  readonly askId: string;
  readonly ask: "question";
  readonly request: CreateElicitationRequest;
  readonly child?: string;
}

/** Why a person is asked although a rule would have allowed it. */
export interface AskExplained {
  readonly kind: "ask-explained";
  readonly askId: string;
  /** Each a clause that follows "because". */
  readonly reasons: readonly string[];
}

export interface AskSettled {
  readonly kind: "ask-settled";
  readonly askId: string;
  readonly outcome: RequestPermissionOutcome | CreateElicitationResponse;
  readonly by: Actor;
  /** What a person said with a rejection, at most `noteLength` long. It is the next prompt, too. */
  readonly note?: string;
}

/** What the gateway did for the agent: these and the asks are the audit. */
export interface FileRead {
  readonly kind: "file-read";
  readonly path: string;
  readonly bytes: number;
  readonly via: "disk" | "editor";
  readonly line?: number;
  readonly limit?: number;
  readonly ask?: string;
}

export interface FileWritten {
  readonly kind: "file-written";
  readonly path: string;
  readonly bytes: number;
  readonly via: "disk" | "editor";
  /** The ask that allowed it, where that is certain. */
  readonly ask?: string;
}

export interface TerminalOpened {
  readonly kind: "terminal-opened";
  readonly terminalId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Null: it is not confined by us. Absent in older logs. */
  readonly confinement?: Confinement | null;
}

/** A person allowed that a command which its sandbox stopped runs again, from its beginning. Its output goes on. */
export interface TerminalRestarted {
  readonly kind: "terminal-restarted";
  readonly terminalId: string;
  /** How this run is confined; null: it is not. */
  readonly confinement: Confinement | null;
  /** The permission request that allowed it. */
  readonly ask: string;
}

export interface TerminalOutput {
  readonly kind: "terminal-output";
  readonly terminalId: string;
  readonly text: string;
}

export interface TerminalExited {
  readonly kind: "terminal-exited";
  readonly terminalId: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface ErrorRaised {
  readonly kind: "error";
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly help?: string;
}

/** A string too long for a line of the log stands as this; its text is kept once, beside the log. */
export interface BlobReference {
  readonly $blob: string;
  readonly bytes: number;
}
