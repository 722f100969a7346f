import type { AuthMethod, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { AgentSummary, Limits, LimitsProfile, Output } from "@landline/protocol";
import type { Derived } from "../index/derived.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Rules } from "../acp-client/permissions/rules.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { AgentDescription } from "../sign-in/sign-ins.ts";
import type { Tokens } from "./tokens.ts";

/** The rest of the gateway, as the server sees it. The server only authenticates, reads and answers requests. */
export interface Services {
  readonly sessions: Sessions;
  readonly agents: AgentList;
  /** For clients that name no agent. */
  readonly defaultAgent?: string | null;
  readonly derived: Derived;
  readonly rules: Rules;
  readonly tokens: Tokens;
  readonly limits: Limits;
  readonly profile: LimitsProfile;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly address: AddressPolicy;
  /** The path of the data folder, in every form in which it may stand in an error. */
  readonly dataFolders?: readonly string[];
  /** Where people reach the page through a proxy, without a slash at its end. */
  readonly publicUrl?: string | null;
  /** The wire of a session's agent; null where it is not kept. */
  readonly readTrace?: (
    sessionId: string,
    query: TraceQuery,
  ) => Promise<Output<"read-trace"> | null>;
}

export interface TraceQuery {
  readonly before?: number;
  readonly limit: number;
}

/** What people see of the catalog. */
export interface AgentList {
  list(): Promise<readonly AgentSummary[]>;
  watch(listener: (agents: readonly AgentSummary[]) => void): Disposable;
  /** What it can do. Starts the agent where it has not said so yet. */
  describe(agentId: string): Promise<AgentDescription>;
  /** Starts the agent where it has not said so yet. */
  signInMethods(agentId: string): Promise<readonly AuthMethod[]>;
  /** Ends when the agent says so, which may take a person minutes; `list` shows how it goes. */
  signIn(agentId: string, methodId: string, by: string): Promise<void>;
  /** Throws when nothing is asked, when somebody was first, or when the answer does not fit. */
  answerSignIn(agentId: string, answer: SignInAnswer, by: string): void;
  /** Ends when nothing of it is left. */
  cancelSignIn(agentId: string, by: string): Promise<void>;
  /** Ends when the agent has forgotten its sign-in, and none that may still know it runs. */
  signOut(agentId: string, by: string): Promise<void>;
  /** Throws `terminal-not-found`. */
  terminal(terminalId: string): SignInTerminal;
  /** The next session with it begins as the agent wants it. */
  forgetChoices(agentId: string): Promise<void>;
}

export interface SignInAnswer {
  readonly outcome: CreateElicitationResponse;
  readonly questionId?: string;
}

/** A terminal in which a sign-in runs. What is on its screen may be secret, and is told to nobody else. */
export interface SignInTerminal {
  readonly screen: {
    /** How many characters were shown so far. */
    readonly end: number;
    whole(): string;
    since(position: number): string;
    watch(listener: () => void): Disposable;
  };
  /** When its program has ended, and the last of what it showed is on the screen. */
  readonly ended: Promise<unknown>;
  type(text: string): void;
  resize(columns: number, rows: number): void;
}

/** Which names the gateway answers to: what `Host` and `Origin` are checked against. */
export interface AddressPolicy {
  /** Without a slash at its end; empty when there is none. */
  readonly basePath: string;
  /** Host names (with port where it is not the default) that may be asked for, beside loopback ones. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}
