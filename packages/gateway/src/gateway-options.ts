import type { McpServer } from "@agentclientprotocol/sdk";
import type { Limits, LimitsProfile } from "@landline/protocol";
import type { SandboxNetwork } from "@landline/sandbox";
import type { AddressPolicy } from "./server/services.ts";
import type { RetentionPolicy } from "./log/retention.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** Everything that `startGateway` is told: what config.ts makes of file, environment and flags. */
export interface GatewayOptions {
  /** Absolute. */
  readonly dataFolder: string;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Agents of the config file; one with the id of a known agent takes its place. */
  readonly agents: readonly AgentConfig[];
  /** What `--agent` was given, as typed: "name=command args…". They come before `agents`. */
  readonly agentFlags: readonly string[];
  /** Our own agent, as whoever starts the gateway starts it; an agent of the config with its id takes its place. */
  readonly builtInAgent?: BuiltInAgent;
  /** For clients that name none; null when nobody names one. */
  readonly defaultAgent: string | null;
  /** Duties that an agent is not offered, by the id of the agent. */
  readonly policy: Readonly<Record<string, AgentPolicy>>;
  readonly projects: readonly ProjectDefaults[];
  readonly profile: LimitsProfile;
  /** Of the profile, with the overrides of the config. */
  readonly limits: Limits;
  readonly durability: Durability;
  /** Nothing is removed by an empty one. */
  readonly retention: RetentionPolicy;
  /** Whether prompts that were waiting when the gateway ended are sent by themselves when it is back. */
  readonly resumeQueue: boolean;
  readonly address: AddressPolicy;
  /** Where people reach it through a proxy, without a slash at its end; null when there is none. */
  readonly publicUrl: string | null;
  readonly logLevel: LogLevel;
  /** Whether the wire of each session's agent is written down beside its log, secrets masked. */
  readonly trace: boolean;
  /** Fixes the first token (LANDLINE_TOKEN); null: the one in the data folder, made when it is missing. */
  readonly token: string | null;
}

export type Durability = "process" | "disk";
export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

export type AgentConfig = ProcessAgentConfig | EndpointAgentConfig;

interface AnyAgentConfig {
  readonly id: string;
  /** The id, when there is none. */
  readonly name?: string;
  /** What the agent needs that the protocol can't say, beside what is known of it. */
  readonly quirks?: readonly QuirkName[];
}

export const quirkNames = [
  /** A missing file is answered with an empty text: gemini can't create a file otherwise. */
  "missingFileIsEmpty",
  /** Relative paths in `fs/*` and `terminal/create` are taken from the session's folder. No known agent needs it. */
  "relativePaths",
] as const;

export type QuirkName = (typeof quirkNames)[number];

export interface ProcessAgentConfig extends AnyAgentConfig {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where the process is started; the session's folder when there is none. */
  readonly cwd?: string;
}

/** It is there whatever is installed: its command is not looked for. */
export type BuiltInAgent = Required<Pick<ProcessAgentConfig, "id" | "name" | "command" | "args">>;

export interface EndpointAgentConfig extends AnyAgentConfig {
  /** tcp://host:port */
  readonly endpoint: string;
  /** What the agent wants to hear before anything else; it is sent in `initialize`. */
  readonly token?: string;
}

export interface AgentPolicy {
  readonly withhold: { readonly files: boolean; readonly terminals: boolean };
  /** What it is confined to; it is not confined when there is none. */
  readonly sandbox?: AgentSandbox | undefined;
  /** What its terminals are confined to, or "off". Without it: as the agent itself, or else where that is possible. */
  readonly terminalSandbox?: AgentSandbox | "off" | undefined;
}

/** What a confined agent, or a command in its terminals, may use besides the session's folder. Paths are absolute. */
export interface AgentSandbox {
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** The known caches of tools when there is no list. */
  readonly caches: readonly string[] | null;
  readonly network: SandboxNetwork;
}

/** What commands in terminals may use besides the session's folders. */
export interface TerminalSandboxPolicy extends AgentSandbox {
  /** Where nothing can be confined, no terminal is opened: the config asks for it. */
  readonly isRequired: boolean;
}

/** Of agents of which the config says nothing: confined where that is possible. */
export const usualTerminalSandbox: TerminalSandboxPolicy = {
  write: [],
  read: [],
  caches: null,
  network: "off",
  isRequired: false,
};

/** What sessions in a folder or below it get when they are opened without. */
export interface ProjectDefaults {
  /** Absolute. The longest one that fits counts. */
  readonly folder: string;
  readonly mcpServers: readonly McpServer[];
}

/** A gateway that listens. */
export interface Gateway extends AsyncDisposable {
  /** With the base path and without the token. */
  readonly url: string;
  readonly port: number;
  /** Where the command line reaches it without a token: a socket that only the user can open. Null on Windows. */
  readonly socket: string | null;
  /** Of the link that lets people in, or the one of LANDLINE_TOKEN. */
  readonly token: string;
  readonly sessions: Sessions;
  /** Ends turns, agents, sockets and logs, and gives the data folder free. Idempotent. */
  close(): Promise<void>;
}
