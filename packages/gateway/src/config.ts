import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { LandlineError, limitsOf, type LimitOverrides, type Limits } from "@landline/protocol";
import { defaultConfigFile, defaultDataFolder, expandHome } from "./config/xdg-paths.ts";
import { configProblem, schemaProblem } from "./config/config-error.ts";
import type { ConfigFile } from "./config/schema.ts";
import {
  environmentSettings,
  flagSettings,
  type ConfigFlags,
  type Setting,
} from "./config/settings.ts";
import type {
  AgentConfig,
  AgentPolicy,
  AgentSandbox,
  BuiltInAgent,
  GatewayOptions,
  ProjectDefaults,
} from "./gateway-options.ts";

export interface ConfigSources {
  readonly flags?: ConfigFlags;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What relative paths on the command line and in the environment are relative to. */
  readonly workingFolder?: string;
  /** Somebody reads stderr beside other things: without a level, only what is wrong is said there. */
  readonly isAtTerminal?: boolean;
  readonly builtInAgent?: BuiltInAgent;
}

type Environment = NonNullable<ConfigSources["environment"]>;

const PORT = 3001;
const HOST = "127.0.0.1";
const DAY_MS = 24 * 60 * 60 * 1_000;

/** File, then environment, then flags: what comes later counts. Throws `config-invalid`. */
export async function loadConfig(sources: ConfigSources = {}): Promise<GatewayOptions> {
  const { flags = {}, environment = process.env, workingFolder = process.cwd() } = sources;
  const file = await readConfigFile(flags.config, environment, workingFolder);
  const settings = [
    ...environmentSettings(environment, workingFolder),
    ...flagSettings(flags, workingFolder),
  ];
  const config = settings.length === 0 ? file : { ...file, ...(await checkSettings(settings)) };
  const { logLevel = sources.isAtTerminal === true ? "warn" : "info" } = config;
  const { builtInAgent } = sources;
  const resolved = resolveConfig({ ...config, logLevel }, environment, flags.agent ?? []);
  const options = builtInAgent ? withBuiltIn(resolved, builtInAgent) : resolved;
  refuseOpenDoor(options.host, config.insecureLan ?? false);
  return options;
}

/** The built-in agent is for those who name none and have none of their own. */
function withBuiltIn(options: GatewayOptions, builtInAgent: BuiltInAgent): GatewayOptions {
  const [flag] = options.agentFlags;
  const [own] = options.agents;
  const first = flag?.split("=", 1)[0]?.trim() ?? own?.id ?? builtInAgent.id;
  return { ...options, builtInAgent, defaultAgent: options.defaultAgent ?? first };
}

/** For editors; `landline config schema` prints it. */
export async function configJsonSchema(): Promise<Record<string, unknown>> {
  const schema = await import("./config/schema.ts");
  return schema.configJsonSchema();
}

async function readConfigFile(
  flag: string | undefined,
  environment: Environment,
  workingFolder: string,
): Promise<ConfigFile> {
  const named = flag ?? (environment["LANDLINE_CONFIG"] || undefined);
  const path = named === undefined ? defaultConfigFile(environment) : resolve(workingFolder, named);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (named === undefined && (code === "ENOENT" || code === "ENOTDIR")) return {};
    const because = code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`;
    throw configProblem(`${path}: ${because}.`, error);
  }
  return withCommandsFrom(dirname(path), await checkFile(path, parse(path, text)));
}

/** A program that is named by a relative path is beside the file that names it, wherever a session works. */
function withCommandsFrom(folder: string, file: ConfigFile): ConfigFile {
  if (!file.agents) return file;
  const agents = file.agents.map((agent) => {
    if (!("command" in agent)) return agent;
    const { command } = agent;
    const isRelative = command.includes("/") && !/^~?\//.test(command);
    return isRelative ? { ...agent, command: resolve(folder, command) } : agent;
  });
  return { ...file, agents };
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    // The parser's message may quote the file, and the file may hold keys of agents.
    const place = /line \d+ column \d+/.exec(error instanceof Error ? error.message : "")?.[0];
    const where = place === undefined ? "" : ` (${place})`;
    throw configProblem(`${path}: this is not valid JSON${where}; comments are not part of it.`);
  }
}

/** Code that is made for a schema pays from the second value on; there is none. */
const once = { jitless: true };

async function checkFile(path: string, content: unknown): Promise<ConfigFile> {
  const { configSchema, configJsonSchema: jsonSchema } = await import("./config/schema.ts");
  const { $schema: _schema, ...fields } = (content ?? {}) as Record<string, unknown>;
  const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
  if (!isObject) throw configProblem(`${path}: the file must hold one JSON object.`);
  const read = configSchema.safeParse(fields, once);
  if (!read.success) throw schemaProblem(path, read.error.issues, jsonSchema());
  const ids = (read.data.agents ?? []).map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw configProblem(`${path}: agents has the id ${JSON.stringify(twice)} twice.`);
  return read.data;
}

async function checkSettings(settings: readonly Setting[]): Promise<ConfigFile> {
  const { configSchema, configJsonSchema: jsonSchema } = await import("./config/schema.ts");
  const checked: Record<string, unknown> = {};
  for (const { label, field, value } of settings) {
    const read = configSchema.shape[field].safeParse(value, once);
    if (!read.success) throw schemaProblem(label, read.error.issues, jsonSchema());
    checked[field] = read.data;
  }
  return checked;
}

function resolveConfig(
  config: ConfigFile & Pick<GatewayOptions, "logLevel">,
  environment: Environment,
  agentFlags: readonly string[],
): GatewayOptions {
  const publicUrl = config.publicUrl?.replace(/\/+$/, "") ?? null;
  const reachedAt = publicUrl === null ? null : new URL(publicUrl);
  const dataFolder = config.dataFolder ?? defaultDataFolder(environment);
  return {
    dataFolder: expandHome(dataFolder, environment),
    host: config.host ?? HOST,
    port: config.port ?? PORT,
    agents: (config.agents ?? []).map((agent) => agentConfig(agent, environment)),
    agentFlags,
    defaultAgent: config.defaultAgent ?? null,
    policy: policies(config, environment),
    projects: projects(config, environment),
    profile: config.limitsProfile ?? "default",
    limits: limits(config),
    durability: config.durability ?? "process",
    retention: retention(config),
    resumeQueue: config.resumeQueue ?? false,
    address: {
      basePath: config.basePath?.replace(/\/$/, "") ?? "",
      hosts: [...(config.hosts ?? []), ...(reachedAt ? [reachedAt.host] : [])],
      origins: [...(config.origins ?? []), ...(reachedAt ? [reachedAt.origin] : [])],
    },
    publicUrl,
    logLevel: config.logLevel,
    trace: config.trace ?? false,
    token: environment["LANDLINE_TOKEN"] || null,
  };
}

function agentConfig(
  agent: NonNullable<ConfigFile["agents"]>[number],
  environment: Environment,
): AgentConfig {
  const { name, quirks } = agent;
  const shared = {
    id: agent.id,
    ...(name === undefined ? {} : { name }),
    ...(quirks === undefined ? {} : { quirks }),
  };
  if ("endpoint" in agent) {
    const { endpoint, token } = agent;
    return { ...shared, endpoint, ...(token === undefined ? {} : { token }) };
  }
  const { command, args, env, cwd } = agent;
  return {
    ...shared,
    command: expandHome(command, environment),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd: expandHome(cwd, environment) }),
  };
}

function policies(config: ConfigFile, environment: Environment): Record<string, AgentPolicy> {
  return Object.fromEntries(
    Object.entries(config.policy ?? {}).map(([agent, given]) => {
      const { withhold = [], sandbox = false, terminalSandbox } = given;
      return [
        agent,
        {
          withhold: {
            files: withhold.includes("files"),
            terminals: withhold.includes("terminals"),
          },
          ...(sandbox !== false && {
            sandbox: sandboxOf(sandbox === true ? {} : sandbox, environment),
          }),
          ...(terminalSandbox !== undefined && {
            terminalSandbox: terminalSandboxOf(terminalSandbox, environment),
          }),
        },
      ];
    }),
  );
}

type PolicyFields = NonNullable<ConfigFile["policy"]>[string];
type SandboxFields = Exclude<PolicyFields["sandbox"], boolean | undefined>;

function sandboxOf(fields: SandboxFields, environment: Environment): AgentSandbox {
  return { ...sandboxPaths(fields, environment), network: fields.network ?? "on" };
}

function terminalSandboxOf(
  given: NonNullable<PolicyFields["terminalSandbox"]>,
  environment: Environment,
): AgentSandbox | "off" {
  if (given === false) return "off";
  const fields = given === true ? {} : given;
  return { ...sandboxPaths(fields, environment), network: fields.network ?? "off" };
}

function sandboxPaths(
  { write = [], read = [], caches }: Pick<SandboxFields, "write" | "read" | "caches">,
  environment: Environment,
): Omit<AgentSandbox, "network"> {
  const expanded = (paths: readonly string[]) => paths.map((path) => expandHome(path, environment));
  return {
    write: expanded(write),
    read: expanded(read),
    caches: caches === undefined ? null : expanded(caches),
  };
}

function projects(config: ConfigFile, environment: Environment): ProjectDefaults[] {
  return Object.entries(config.projects ?? {})
    .map(([folder, { mcpServers }]) => ({
      folder: join(expandHome(folder, environment), "."),
      // Checked by the schema of the same field in the API.
      mcpServers: (mcpServers ?? []) as readonly McpServer[],
    }))
    .sort((left, right) => right.folder.length - left.folder.length);
}

function limits(config: ConfigFile): Limits {
  const { askLimitSeconds, idleAgentMinutes, maxAgents } = config;
  const overrides: LimitOverrides = {
    // Checked by a schema that is made of the names of the limits.
    ...(config.limits as LimitOverrides | undefined),
    ...(idleAgentMinutes === undefined ? {} : { agentIdleMs: idleMs(idleAgentMinutes) }),
    ...(maxAgents === undefined ? {} : { agentsRunning: maxAgents }),
    ...(askLimitSeconds === undefined ? {} : { askMs: Math.ceil(askLimitSeconds * 1_000) }),
  };
  return limitsOf(config.limitsProfile ?? "default", overrides);
}

/** Null: never. */
function idleMs(minutes: number): number | null {
  return minutes === 0 ? null : Math.ceil(minutes * 60_000);
}

function retention(config: ConfigFile): GatewayOptions["retention"] {
  const { maxAgeDays, maxBytes } = config.retention ?? {};
  return {
    ...(maxAgeDays === undefined ? {} : { maxAgeMs: maxAgeDays * DAY_MS }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}

export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1" || host === "localhost" || host.endsWith(".localhost");
}

function refuseOpenDoor(host: string, insecureLan: boolean): void {
  if (isLoopback(host) || insecureLan) return;
  throw new LandlineError("config-invalid", {
    message:
      `Listening on ${host} would let everybody on the network try to come in, and the token, which ` +
      "lets whoever has it run commands here, would cross the network unencrypted.",
    help:
      "Keep 127.0.0.1 and put a proxy with TLS in front (--public-url, --base-path), or say that you " +
      "want it as it is with --insecure-lan.",
  });
}
