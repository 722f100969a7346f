import type { AuthMethod, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { AgentSummary, Limits, LimitsProfile, Output } from "@landline/protocol";
import type { IndexDatabase } from "../index/index-database.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Editors } from "../acp-client/editors.ts";
import type { Rules } from "../acp-client/permissions/rules.ts";
import type { AgentSessionsQuery } from "../sessions/agent-sessions.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { AgentDescription } from "../sign-in/sign-ins.ts";
import type { Tokens } from "./tokens.ts";

/** The other modules of the gateway that the server uses. The server only authenticates, reads and answers requests. */
export interface Services {
  readonly sessions: Sessions;
  readonly agents: AgentList;
  /** For clients that name no agent. */
  readonly defaultAgent?: string | null;
  readonly indexDatabase: IndexDatabase;
  readonly rules: Rules;
  /** ACP clients that offer files and terminals to the agents of their sessions. */
  readonly editors: Editors;
  readonly tokens: Tokens;
  readonly limits: Limits;
  readonly profile: LimitsProfile;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly address: AddressPolicy;
  /** All forms of the data folder's path that may occur in errors. */
  readonly dataFolders?: readonly string[];
  /** The public URL of the page, without a trailing slash. */
  readonly publicUrl?: string | null;
  /** Whether clients at `/acp` may use version 2 of ACP. */
  readonly acpV2?: boolean;
  /** Reads the trace of a session's agent; null where none is recorded. */
  readonly readTrace?: (
    sessionId: string,
    query: TraceQuery,
  ) => Promise<Output<"read-trace"> | null>;
}

export interface TraceQuery {
  readonly before?: number;
  readonly limit: number;
}

/** The agents as clients see them. */
export interface AgentList {
  list(): Promise<readonly AgentSummary[]>;
  watch(listener: (agents: readonly AgentSummary[]) => void): Disposable;
  /** Returns its capabilities. Starts the agent if they are unknown. */
  describe(agentId: string): Promise<AgentDescription>;
  /** Starts the agent if they are unknown. */
  signInMethods(agentId: string): Promise<readonly AuthMethod[]>;
  /** Resolves when the agent confirms, which may take minutes; `list` shows the progress. */
  signIn(agentId: string, methodId: string, by: string): Promise<void>;
  /** Throws when no question is open, when it was already answered, or when the answer is invalid. */
  answerSignIn(agentId: string, answer: SignInAnswer, by: string): void;
  /** Resolves when the sign-in was cleaned up. */
  cancelSignIn(agentId: string, by: string): Promise<void>;
  /** Resolves when the agent is signed out and no process that may still be signed in runs. */
  signOut(agentId: string, by: string): Promise<void>;
  /** Throws `terminal-not-found`. */
  terminal(terminalId: string): SignInTerminal;
  /** The sessions that the agent stores itself. Starts the agent. */
  sessions(agentId: string, query: AgentSessionsQuery): Promise<Output<"list-agent-sessions">>;
  /** Resets the stored choices: the next session starts with the agent's defaults. */
  forgetChoices(agentId: string): Promise<void>;
}

export interface SignInAnswer {
  readonly outcome: CreateElicitationResponse;
  readonly questionId?: string;
}

/** A terminal in which a sign-in runs. Its screen may contain secrets, so only its viewers receive it. */
export interface SignInTerminal {
  readonly screen: {
    /** The number of characters shown so far. */
    readonly end: number;
    whole(): string;
    since(position: number): string;
    watch(listener: () => void): Disposable;
  };
  /** Resolves when the program has exited and its last output is on the screen. */
  readonly ended: Promise<unknown>;
  type(text: string): void;
  resize(columns: number, rows: number): void;
}

/** The names of the gateway, against which `Host` and `Origin` are checked. */
export interface AddressPolicy {
  /** Without a trailing slash; empty when there is none. */
  readonly basePath: string;
  /** Accepted host names besides loopback, with the port where it is not the default. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}
