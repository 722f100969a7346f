import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import type { Confinement, Limits } from "@landline/protocol";
import type { AgentSandbox, QuirkName, TerminalSandboxPolicy } from "../gateway-options.ts";
import type { AgentPlaces } from "./agent-places.ts";
import type { AgentConnection, ConnectionHandlers } from "../acp-connection/connection.ts";
import type { Introduction } from "./initialize.ts";
import type { AgentTerminal } from "./terminal.ts";
import type { TerminalCall } from "./terminal-process.ts";

/** An agent that can be started or reached: one row of the catalog. */
export type AgentEntry = ProcessAgent | EndpointAgent;

interface AgentBase {
  readonly id: string;
  readonly name: string;
  /** Duties that this agent is not offered, so that its own sandbox applies. */
  readonly withhold: { readonly files: boolean; readonly terminals: boolean };
  readonly quirks: Quirks;
  /** What the terminals that it opens are confined to; null: they are not. */
  readonly terminalSandbox: TerminalSandboxPolicy | null;
}

export interface ProcessAgent extends AgentBase {
  readonly kind: "process";
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the scrubbed environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the process is started; the session's folder when there is none. */
  readonly cwd?: string;
  /** What it is confined to, with everything that it starts; it is not confined when there is none. */
  readonly sandbox?: AgentSandbox | undefined;
  /** Landline's own agent, and not one that a config put in its place. */
  readonly isBuiltIn?: true;
}

export interface EndpointAgent extends AgentBase {
  readonly kind: "endpoint";
  /** tcp://host:port */
  readonly endpoint: string;
  readonly token?: string;
}

/** What an agent needs that the protocol can't say. */
export type Quirks = Readonly<Record<QuirkName, boolean>>;

export interface StartOptions {
  readonly entry: AgentEntry;
  /** The session's folder; the process is started there. */
  readonly cwd: string;
  /** The id of our session that it is for; none for an agent that is only signed in to. */
  readonly sessionId?: string;
  readonly clientCapabilities: ClientCapabilities;
  readonly limits: Limits;
  /** Called from the first byte on; `closed` once, at the end. */
  readonly handlers: ConnectionHandlers;
  /** Aborted while it has not answered `initialize`: it is ended, and the start fails. */
  readonly signal?: AbortSignal;
}

/** An agent that has answered `initialize`. */
export interface RunningAgent extends Introduction {
  readonly connection: AgentConnection;
  /** Those of the entry, and those by which the agent is known once it has said its name. */
  readonly quirks: Quirks;
  /** The value of LANDLINE_AGENT_MARK for whatever is started on the agent's behalf: it is swept with it. */
  readonly mark: string;
  /** How we confine it; null: we do not. */
  readonly confinement: Confinement | null;
  /** What it creates; null: we do not confine it. */
  readonly places: AgentPlaces | null;
  readonly exited: Promise<AgentExit>;
  /** The tail of what it wrote to stderr so far. */
  stderr(): string;
  /** Ends it and everything that it started: stdin, SIGTERM, SIGKILL, sweep. Idempotent. */
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

/** Starts agents and owns what they leave behind. One per gateway. */
export interface AgentHost extends AsyncDisposable {
  /** Throws `agent-start-failed` (with the stderr tail in `data.stderr`), `timeout` or `agent-protocol-error`. */
  start(options: StartOptions): Promise<RunningAgent>;
  /**
   * Runs a program of an agent in a terminal, with the agent's environment. Throws `tool-disabled` with the
   * command to run by hand where terminals can't be had, or `agent-start-failed`.
   */
  openTerminal(options: OpenTerminalOptions): Promise<AgentTerminal>;
  /** The sessions whose agents ran when an earlier gateway was killed. */
  interrupted(): Promise<readonly string[]>;
  /** Stops all that run. */
  close(): Promise<void>;
}
