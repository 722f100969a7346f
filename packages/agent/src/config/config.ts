import type { McpServer } from "@agentclientprotocol/sdk";
import type { Rule } from "../permission/rule.ts";
import type { Tool } from "../tools/tool.ts";
import type { PermissionLevel } from "./permission-level.ts";

/** Everything that files and environment say, checked and merged. Later files win. */
export interface Config {
  /** `provider/model`. */
  model: string | undefined;
  smallModel: string | undefined;
  providers: Record<string, ProviderConfig>;
  localProviders: boolean;
  /** What holds for all agents, by whose files say so: two sources of a session's policy. */
  rules: { user: Rule[]; project: Rule[] };
  /** Of sessions in which nobody chose one. */
  permissionLevel: PermissionLevel;
  /** What commands may use besides the project; null: the sandbox is turned off. */
  sandbox: SandboxConfig | null;
  agents: AgentDefinition[];
  defaultMode: string;
  commands: CommandDefinition[];
  mcpServers: McpServer[];
  /** Globs and paths of more rules files. */
  instructions: string[];
  compaction: { auto: boolean };
  subagentDepth: number;
  formatters: FileProgram[];
  linters: FileProgram[];
  /** What was wrong in a file and was left out, with the file and the place. Shown once to the person. */
  problems: string[];
  /** The files that were read, in order. */
  sources: string[];
}

/** Absolute paths. */
export interface SandboxConfig {
  /** The configuration asks for it. Otherwise commands are confined where that works. */
  isWanted: boolean;
  /** What every confined command may use of the network. */
  network: "off" | "on" | string[];
  write: string[];
  read: string[];
  /** In place of the known caches of tools. */
  caches: string[] | null;
}

export interface ProviderConfig {
  name?: string;
  /** How it is spoken to; `openai-compatible` unless the id is one that we know. */
  kind?: "anthropic" | "openai" | "google" | "openai-compatible";
  baseUrl?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  models: Record<
    string,
    {
      name?: string;
      contextTokens?: number;
      outputTokens?: number;
      image?: boolean;
      tools?: boolean;
      efforts?: string[];
    }
  >;
}

/** A mode (primary) or a subagent. */
export interface AgentDefinition {
  id: string;
  name: string;
  description: string;
  role: "primary" | "subagent" | "both";
  /** Added to the system prompt. */
  prompt: string | undefined;
  model: string | undefined;
  /** The mode's own source of the policy: inside it, the last match wins. */
  rules: Rule[];
  /** What a project that nobody has trusted says of it: a source of its own, so that it loosens nothing. */
  untrustedRules: Rule[];
  /** Steps of a turn; the general limit unless told. */
  steps: number | undefined;
  hidden: boolean;
}

export interface CommandDefinition {
  name: string;
  description: string;
  hint: string | undefined;
  /** With $ARGUMENTS, $1…, !`shell` and @file. */
  template: string;
  agent: string | undefined;
  model: string | undefined;
  subtask: boolean;
  source: string;
}

/** A formatter or linter that runs on a file after an edit. `$FILE` stands for its path. */
export interface FileProgram {
  name: string;
  command: string[];
  extensions: string[];
  env: Record<string, string>;
}

/** What stands in the project's folder and is read when a session opens. */
export interface Project {
  config: Config;
  customTools: Tool[];
  /** AGENTS.md and its like, each with its path. */
  rules: { path: string; text: string }[];
  /** What the project's own files want and nobody has allowed yet; null when there is nothing. */
  heldBack: HeldBack | null;
}

/**
 * A project's files may start programs, send keys somewhere and allow things without a question. Until
 * a person trusts the folder, those parts are left out.
 */
export interface HeldBack {
  /** The folder that would be trusted, with all that is below. */
  folder: string;
  /** In words, one thing each: to be shown before a person says yes. */
  wants: string[];
  /** Remembers for good that the folder is trusted. Open the project again after it. */
  trust(): Promise<void>;
}
