import type { McpServer } from "@agentclientprotocol/sdk";
import type { Limits, LimitsProfile } from "@landline/protocol";
import type { SandboxNetwork } from "@landline/sandbox";
import type { CertificateFiles } from "./server/certificate.ts";
import type { AddressPolicy } from "./server/services.ts";
import type { RetentionPolicy } from "./log/retention.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** Options of `startGateway`, which config.ts builds from file, environment and flags. */
export interface GatewayOptions {
  /** Absolute. */
  readonly dataFolder: string;
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Agents of the config file. They override known agents with the same id. */
  readonly agents: readonly AgentConfig[];
  /** Values of `--agent`: "name=command args…". They take precedence over `agents`. */
  readonly agentFlags: readonly string[];
  /** How to start the built-in agent. An agent of the config file with the same id overrides it. */
  readonly builtInAgent?: BuiltInAgent;
  /** For clients that name no agent. Null if there is no default. */
  readonly defaultAgent: string | null;
  /** By agent id. */
  readonly policy: Readonly<Record<string, AgentPolicy>>;
  readonly projects: readonly ProjectDefaults[];
  readonly profile: LimitsProfile;
  /** The limits of the profile with the overrides of the config file. */
  readonly limits: Limits;
  readonly durability: Durability;
  /** An empty policy deletes nothing. */
  readonly retention: RetentionPolicy;
  /** Whether queued prompts are sent automatically after a restart. */
  readonly resumeQueue: boolean;
  readonly address: AddressPolicy;
  /** Files of a certificate and its key; null: plain HTTP. */
  readonly certificate?: CertificateFiles | null;
  /** The URL behind a proxy, without a trailing slash. */
  readonly publicUrl: string | null;
  readonly logLevel: LogLevel;
  /** Whether the messages of each agent are recorded beside the log, with secrets masked. */
  readonly trace: boolean;
  /** Whether clients at `/acp` may use version 2 of ACP. Default: false. */
  readonly acpV2?: boolean;
  /** The value of LANDLINE_TOKEN. Null: use the token in the data folder, or create one. */
  readonly token: string | null;
}

export type Durability = "process" | "disk";
export type LogLevel = "silent" | "error" | "warn" | "info" | "debug";

export type AgentConfig = ProcessAgentConfig | EndpointAgentConfig;

interface AnyAgentConfig {
  readonly id: string;
  /** Defaults to the id. */
  readonly name?: string;
  /** Deviations from ACP that the agent needs, in addition to those of known agents. */
  readonly quirks?: readonly QuirkName[];
  /** Defaults to 1. */
  readonly acpVersion?: AcpVersion;
}

/** Version 2 is a draft. An agent that does not speak it answers in version 1. */
export type AcpVersion = 1 | 2;

export const quirkNames = [
  /** Return an empty text for a missing file: Gemini can't create a file otherwise. */
  "missingFileIsEmpty",
  /** Resolve relative paths in `fs/*` and `terminal/create` against the session's folder. No known agent needs it. */
  "relativePaths",
] as const;

export type QuirkName = (typeof quirkNames)[number];

export interface ProcessAgentConfig extends AnyAgentConfig {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory. Defaults to the session's folder. */
  readonly cwd?: string;
}

/** Always available: its command is not searched on the PATH. */
export type BuiltInAgent = Required<Pick<ProcessAgentConfig, "id" | "name" | "command" | "args">>;

export interface EndpointAgentConfig extends AnyAgentConfig {
  /** tcp://, ws://, wss://, https://, or http:// on loopback. */
  readonly endpoint: string;
  /** A token for the agent: in `initialize` over TCP, in the header `Authorization` otherwise. */
  readonly token?: string;
}

export interface AgentPolicy {
  readonly withhold: { readonly files: boolean; readonly terminals: boolean };
  /** Confinement of the agent process; none if absent. */
  readonly sandbox?: AgentSandbox | undefined;
  /** Confinement of its terminals, or "off". Defaults to the agent's own, or else to `usualTerminalSandbox`. */
  readonly terminalSandbox?: AgentSandbox | "off" | undefined;
}

/**
 * What a confined agent, or a command in its terminals, can access besides the session's folder. Paths are absolute.
 */
export interface AgentSandbox {
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** Null means the built-in list of tool caches. */
  readonly caches: readonly string[] | null;
  readonly network: SandboxNetwork;
}

/** What commands in terminals can access besides the session's folders. */
export interface TerminalSandboxPolicy extends AgentSandbox {
  /** The config requires the sandbox: without one, no terminal is opened. */
  readonly isRequired: boolean;
}

/** For agents without a policy in the config: confined if the machine has a sandbox. */
export const usualTerminalSandbox: TerminalSandboxPolicy = {
  write: [],
  read: [],
  caches: null,
  network: "off",
  isRequired: false,
};

/** Defaults for sessions in a folder or below it. */
export interface ProjectDefaults {
  /** Absolute. The longest matching folder applies. */
  readonly folder: string;
  readonly mcpServers: readonly McpServer[];
}

/** A running gateway. */
export interface Gateway extends AsyncDisposable {
  /** Includes the base path, but not the token. */
  readonly url: string;
  readonly port: number;
  /** A socket that only the user can open, so that the command line needs no token. Null on Windows. */
  readonly socket: string | null;
  /** The token in the printed link, or the value of LANDLINE_TOKEN. */
  readonly token: string;
  readonly sessions: Sessions;
  /** Loads the files of the certificate again, without waiting for the next check. Null without a certificate. */
  readonly reloadCertificate: (() => Promise<void>) | null;
  /** Ends turns and agents, closes sockets and logs, and releases the data folder. Idempotent. */
  close(): Promise<void>;
}
