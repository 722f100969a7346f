import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { Confinement, Limits } from "@landline/protocol";
import type {
  AcpVersion,
  AgentSandbox,
  QuirkName,
  TerminalSandboxPolicy,
} from "../gateway-options.ts";
import type { AgentPlaces } from "./agent-places.ts";
import type { AgentCall } from "./agent-sandbox.ts";
import type { AgentConnection, ConnectionHandlers } from "../acp-connection/connection.ts";
import type { InitializeOutcome } from "./initialize.ts";
import type { AgentTerminal } from "./terminal.ts";
import type { TerminalCall } from "./terminal-process.ts";

/** An agent that can be started or reached: one row of the catalog. */
export type AgentEntry = ProcessAgent | EndpointAgent;

interface AgentBase {
  readonly id: string;
  readonly name: string;
  /** Client capabilities that this agent does not get, so that its own sandbox applies. */
  readonly withhold: { readonly files: boolean; readonly terminals: boolean };
  readonly quirks: Quirks;
  /** The version of ACP that it is addressed in; 2 is a draft. Default: 1. */
  readonly acpVersion?: AcpVersion;
  /** The sandbox of the terminals that it opens; null: not confined. */
  readonly terminalSandbox: TerminalSandboxPolicy | null;
}

export interface ProcessAgent extends AgentBase {
  readonly kind: "process";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the scrubbed environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The working folder of the process. Default: the session's folder. */
  readonly cwd?: string;
  /** The sandbox of the agent and of everything that it starts. Default: not confined. */
  readonly sandbox?: AgentSandbox | undefined;
  /** The built-in agent, not an agent of the config with the same id. */
  readonly isBuiltIn?: true;
}

export interface EndpointAgent extends AgentBase {
  readonly kind: "endpoint";
  /** See `endpoint-address.ts`. */
  readonly endpoint: string;
  readonly token?: string;
}

/** Deviations of an agent that its capabilities do not express. */
export type Quirks = Readonly<Record<QuirkName, boolean>>;

export interface StartOptions {
  readonly entry: AgentEntry;
  /** The session's folder; the process is started there. */
  readonly cwd: string;
  /** The folders of the session, which a confined agent may change. */
  readonly roots: readonly string[];
  /** The gateway's session id. Absent for an agent that runs only for a sign-in. */
  readonly sessionId?: string;
  readonly clientCapabilities: ClientCapabilities;
  readonly limits: Limits;
  /** Called from the first byte; `closed` is called once, at the end. */
  readonly handlers: ConnectionHandlers;
  /** An abort before the response to `initialize` ends the agent, and the start fails. */
  readonly signal?: AbortSignal;
}

/** An agent that has answered `initialize`. */
export interface RunningAgent extends InitializeOutcome {
  readonly connection: AgentConnection;
  /** The quirks of the entry and of the name in `agentInfo`. */
  readonly quirks: Quirks;
  /** The value of LANDLINE_AGENT_MARK for processes started for the agent. They end with it. */
  readonly mark: string;
  /** How the gateway confines it; null: not confined. */
  readonly confinement: Confinement | null;
  /** Protected places that it creates; null: not confined. */
  readonly places: AgentPlaces | null;
  /** Which files it may use; null: not confined. */
  readonly permits: AgentCall["permits"];
  readonly exited: Promise<AgentExit>;
  /** The end of its stderr so far. */
  stderr(): string;
  /** Ends the agent and everything that it started: close stdin, SIGTERM, SIGKILL, sweep. Idempotent. */
  stop(): Promise<AgentExit>;
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

export interface OpenTerminalOptions {
  readonly entry: ProcessAgent;
  readonly call: TerminalCall;
  readonly cwd: string;
  readonly limits: Limits;
}

/** Starts agents and cleans up after them. One per gateway. */
export interface AgentHost extends AsyncDisposable {
  /** Throws `agent-start-failed` (with the end of stderr in `data.stderr`), `timeout` or `agent-protocol-error`. */
  start(options: StartOptions): Promise<RunningAgent>;
  /**
   * Runs a program of an agent in a terminal, with the agent's environment. Throws `agent-start-failed`, or
   * `tool-disabled` with the command to run by hand if terminals are not available.
   */
  openTerminal(options: OpenTerminalOptions): Promise<AgentTerminal>;
  /** Sessions whose agents were running when an earlier gateway was killed. */
  interrupted(): Promise<readonly string[]>;
  /** Stops all agents. */
  close(): Promise<void>;
}
