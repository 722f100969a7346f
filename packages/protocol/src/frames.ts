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

/** One for every command, with the command's `id`; null when a message had none that could be read. */
export type ReplyFrame =
  | { readonly type: "reply"; readonly id: string | number; readonly result: unknown }
  | { readonly type: "reply"; readonly id: string | number | null; readonly error: ProblemShape };

/** Comes before any event of the session. With a snapshot, the events go on after `view.head`. */
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

/** In the order of their numbers, with no number left out. */
export interface EventsFrame {
  readonly type: "events";
  readonly sessionId: string;
  readonly events: readonly (SessionEvent | UnknownEvent)[];
}

/** The log can't serve the cursor: attach again without one. */
export interface GapFrame {
  readonly type: "gap";
  readonly sessionId: string;
  readonly head: number;
}

/** Sessions that are new or changed, and the ids of those that are gone. */
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
  /** The beginning of the first prompt: a name for it while it has no title. */
  readonly firstPrompt: string | null;
  readonly parent: string | null;
  /** Whether its last turn ended in an error. */
  readonly hasFailed: boolean;
  readonly state: "idle" | "running" | "stalled" | "needs-answer";
  readonly openedAt: number | null;
  readonly closedAt: number | null;
  /** When something happened in it last: what its agent says outside of turns, its start and its end are nothing. */
  readonly lastAt: number;
  readonly head: number;
}

/** All agents, whenever something about one of them changed. */
export interface AgentsFrame {
  readonly type: "agents";
  readonly agents: readonly AgentSummary[];
}

export interface AgentSummary {
  readonly id: string;
  readonly name: string;
  readonly found: boolean;
  /** How it is started, or where it was looked for. */
  readonly how: string;
  /** The command that installs it, when it is known and not found. */
  readonly install: string | null;
  /** Null when nobody can tell before it is started. */
  readonly signedIn: boolean | null;
  readonly signInMethods: readonly AuthMethod[];
  /** Null before it was started. */
  readonly canSignOut: boolean | null;
  /** Which keys it has; null when it does not say, and for those who may only watch. */
  readonly keys: readonly AgentKey[] | null;
  readonly progress: AgentProgress | null;
  /** What people chose last and want again: models first. For `config` when a session is opened. */
  readonly lastChoices: readonly LastChoice[];
}

/** A value of one of an agent's config options, or of its older models, for which `configId` is `model`. */
export interface LastChoice {
  readonly configId: string;
  readonly value: string | boolean;
  readonly category: "model" | "thought_level";
  /** In the agent's words. */
  readonly name: string;
}

/** That an agent has a key, and where from: never the key. */
export interface AgentKey {
  /** Whose key it is, as people call it. */
  readonly name: string;
  /** The variable of the environment that it stands in; null when it is stored, and goes with a sign-out. */
  readonly variable: string | null;
}

export interface AgentProgress {
  readonly what: "install" | "sign-in";
  readonly message: string;
  /** The terminal of a sign-in that runs in one. */
  readonly terminalId?: string;
  /** A page that the agent wants opened. */
  readonly url?: string;
  /** What the agent asks while it signs in: a form to fill in, or whether the page was opened. */
  readonly question?: CreateElicitationRequest;
  /** Names the question, so that an answer that comes late is not taken for one to the next. */
  readonly questionId?: string;
}

/** The names of all who may come in, by the ids that stand in events, whenever one of them came, went or changed. */
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
  /** Where the damaged file is now; null when that is not known. */
  readonly movedTo: string | null;
  readonly reason: string;
  /** When it was found. */
  readonly at: number;
}

/**
 * What a sign-in's terminal shows, to those who attached to it: first what is on its screen so far, then
 * what comes. Who is too slow to follow gets the screen anew, behind the sequence that clears it (ESC c).
 */
export interface TerminalFrame {
  readonly type: "terminal";
  readonly terminalId: string;
  readonly text: string;
}

/** Sent when nothing else was, so that both ends know that the line holds. */
export interface PingFrame {
  readonly type: "ping";
}
