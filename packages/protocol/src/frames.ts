import type { AuthMethod, CreateElicitationRequest } from "@agentclientprotocol/sdk";
import type { UnknownEvent } from "./decode.ts";
import type { ProblemShape } from "./errors.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionView } from "./view.ts";

/** What the gateway sends over `landline.v1`. */
export type GatewayFrame =
  | ReplyFrame
  | AttachedFrame
  | EventsFrame
  | GapFrame
  | SessionsFrame
  | AgentsFrame
  | PeopleFrame
  | RulesDamageFrame
  | TerminalFrame
  | PingFrame;

/** The reply to a command, with its `id`; null when the message had no readable id. */
export type ReplyFrame =
  | { readonly type: "reply"; readonly id: string | number; readonly result: unknown }
  | { readonly type: "reply"; readonly id: string | number | null; readonly error: ProblemShape };

/** Precedes all events of the session. After a snapshot, events continue after `view.head`. */
export type AttachedFrame =
  | {
      readonly type: "attached";
      readonly sessionId: string;
      readonly head: number;
      readonly from: "tail";
    }
  | {
      readonly type: "attached";
      readonly sessionId: string;
      readonly head: number;
      readonly from: "snapshot";
      readonly view: SessionView;
    };

/** Events in order, without gaps. */
export interface EventsFrame {
  readonly type: "events";
  readonly sessionId: string;
  readonly events: readonly (SessionEvent | UnknownEvent)[];
}

/** The log cannot serve the cursor. Attach again without one. */
export interface GapFrame {
  readonly type: "gap";
  readonly sessionId: string;
  readonly head: number;
}

/** New and changed sessions, and the ids of deleted ones. */
export interface SessionsFrame {
  readonly type: "sessions";
  readonly sessions: readonly SessionSummary[];
  readonly gone: readonly string[];
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly title: string | null;
  /** The beginning of the first prompt, shown while there is no title. */
  readonly firstPrompt: string | null;
  readonly parent: string | null;
  /** Whether its last turn ended in an error. */
  readonly hasFailed: boolean;
  readonly state: "idle" | "running" | "stalled" | "needs-answer";
  readonly openedAt: number | null;
  readonly closedAt: number | null;
  /** The time of the last activity. Agent output outside of turns, starts and exits do not count. */
  readonly lastAt: number;
  readonly head: number;
}

/** All agents, sent when one of them changes. */
export interface AgentsFrame {
  readonly type: "agents";
  readonly agents: readonly AgentSummary[];
}

export interface AgentSummary {
  readonly id: string;
  readonly name: string;
  readonly found: boolean;
  /** The command that starts it, or where it was searched for. */
  readonly how: string;
  /** The command that installs it, if known and the agent was not found. */
  readonly install: string | null;
  /** Null when it is unknown until the agent starts. */
  readonly signedIn: boolean | null;
  readonly signInMethods: readonly AuthMethod[];
  /** Null until the agent was started. */
  readonly canSignOut: boolean | null;
  /** The keys that it has; null when it does not report them, and for the role `watch`. */
  readonly keys: readonly AgentKey[] | null;
  readonly progress: AgentProgress | null;
  /** Remembered choices, models first. Pass them as `config` when a session is opened. */
  readonly lastChoices: readonly LastChoice[];
}

/** A value of a config option of the agent, or of its legacy models (`configId` is `model`). */
export interface LastChoice {
  readonly configId: string;
  readonly value: string | boolean;
  readonly category: "model" | "thought_level";
  /** The agent's name for the value. */
  readonly name: string;
}

/** A key of an agent and its source, never the key itself. */
export interface AgentKey {
  /** The display name of the key's provider. */
  readonly name: string;
  /** The environment variable that has the key; null for a stored key, which a sign-out removes. */
  readonly variable: string | null;
}

export interface AgentProgress {
  readonly what: "install" | "sign-in";
  readonly message: string;
  /** The terminal of a sign-in that runs in one. */
  readonly terminalId?: string;
  /** A page to open in a browser. */
  readonly url?: string;
  /** The agent's question during the sign-in: a form, or a page to open. */
  readonly question?: CreateElicitationRequest;
  /** The id of the question, so that a late answer does not answer the next one. */
  readonly questionId?: string;
}

/** Display names of all devices by `by` id, sent when one is added, removed or renamed. */
export interface PeopleFrame {
  readonly type: "people";
  readonly people: Readonly<Record<string, string>>;
}

/** Sent when a client connects while there is damage, and whenever it changes. */
export interface RulesDamageFrame {
  readonly type: "rules-damage";
  readonly damage: RulesDamage | null;
}

/** The rules file could not be read. No rule allows anything until a person acknowledges it. */
export interface RulesDamage {
  /** The path of the moved file; null when it is unknown. */
  readonly movedTo: string | null;
  readonly reason: string;
  /** When the damage was found. */
  readonly at: number;
}

/**
 * Output of a sign-in terminal, for attached clients: first the current screen, then new output. A client that is too
 * slow receives the whole screen again, after the sequence that clears it (ESC c).
 */
export interface TerminalFrame {
  readonly type: "terminal";
  readonly terminalId: string;
  readonly text: string;
}

/** Sent when the connection is otherwise silent, to detect a lost connection. */
export interface PingFrame {
  readonly type: "ping";
}
