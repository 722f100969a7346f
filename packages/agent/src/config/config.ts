import type { McpServer } from "@agentclientprotocol/sdk";
import type { Rule } from "../permission/rule.ts";
import type { Tool } from "../tools/tool.ts";
import type { PermissionLevel } from "./permission-level.ts";

/** The validated and merged configuration. Later files win. */
export interface Config {
  /** `provider/model`. */
  model: string | undefined;
  smallModel: string | undefined;
  providers: Record<string, ProviderConfig>;
  localProviders: boolean;
  /** Rules for all agents, by the owner of the file: two sources of a session's policy. */
  rules: { user: Rule[]; project: Rule[] };
  /** The level of sessions in which the user chose none. */
  permissionLevel: PermissionLevel;
  /** Null when the sandbox is turned off. */
  sandbox: SandboxConfig | null;
  agents: AgentDefinition[];
  defaultMode: string;
  commands: CommandDefinition[];
  mcpServers: McpServer[];
  /** Globs and paths of further rules files. */
  instructions: string[];
  compaction: { auto: boolean };
  subagentDepth: number;
  formatters: FileProgram[];
  linters: FileProgram[];
  /** Parts that were dropped as invalid, with file and location. Shown to the user once. */
  problems: string[];
  /** The files that were read, in order. */
  sources: string[];
}

/** Absolute paths. */
export interface SandboxConfig {
  /**
   * True when the configuration requires a sandbox. Otherwise commands are confined only where a sandbox
   * works.
   */
  isWanted: boolean;
  /** Network access of every confined command. */
  network: "off" | "on" | string[];
  write: string[];
  read: string[];
  /** Replaces the default list of tool caches. */
  caches: string[] | null;
}

export interface ProviderConfig {
  name?: string;
  /** The API; `openai-compatible` unless the id is a known provider. */
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
  /** The mode's source of the policy. Within it, the last match wins. */
  rules: Rule[];
  /** From an untrusted project: a separate source, so that it can only restrict. */
  untrustedRules: Rule[];
  /** Maximum steps of a turn; default: the general limit. */
  steps: number | undefined;
  hidden: boolean;
}

export interface CommandDefinition {
  name: string;
  description: string;
  hint: string | undefined;
  /** May contain $ARGUMENTS, $1…, !`shell` and @file. */
  template: string;
  agent: string | undefined;
  model: string | undefined;
  subtask: boolean;
  source: string;
}

/** A formatter or linter that runs on a file after an edit. `$FILE` is replaced by its path. */
export interface FileProgram {
  name: string;
  command: string[];
  extensions: string[];
  env: Record<string, string>;
}

/** What is read from a project's folder when a session opens. */
export interface Project {
  config: Config;
  customTools: Tool[];
  /** AGENTS.md and similar files. */
  rules: { path: string; text: string }[];
  /** Parts that need a trusted folder; null when there are none. */
  untrustedConfig: UntrustedConfig | null;
}

/**
 * Parts of a project's configuration that start programs, send keys somewhere or allow actions without
 * asking. They do not apply until a person trusts the folder.
 */
export interface UntrustedConfig {
  /** The folder to trust, including everything below it. */
  folder: string;
  /** One sentence each, shown before a person agrees. */
  wants: string[];
  /** Stores that the folder is trusted. Open the project again afterwards. */
  trust(): Promise<void>;
}
