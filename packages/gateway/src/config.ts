import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { LandlineError, limitsOf, type LimitOverrides, type Limits } from "@landline/protocol";
import { isLoopbackHost } from "@landline/system/loopback";
import { defaultConfigFile, defaultDataFolder, expandedPath } from "./config/default-paths.ts";
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
  /** The base of relative paths in flags and environment variables. */
  readonly workingFolder?: string;
  /** Whether stderr is a terminal. Then the default log level is "warn". */
  readonly isAtTerminal?: boolean;
  readonly builtInAgent?: BuiltInAgent;
}

type Environment = NonNullable<ConfigSources["environment"]>;

const PORT = 3001;
const HOST = "127.0.0.1";
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Reads the file, then the environment, then the flags; later sources override earlier ones. Throws `config-invalid`.
 */
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
  if (!options.certificate) refuseInsecureHost(options.host, config.insecureLan ?? false);
  return options;
}

/** The built-in agent is the default agent if neither flags nor the config file name one. */
function withBuiltIn(options: GatewayOptions, builtInAgent: BuiltInAgent): GatewayOptions {
  const [flag] = options.agentFlags;
  const [own] = options.agents;
  const first = flag?.split("=", 1)[0]?.trim() ?? own?.id ?? builtInAgent.id;
  return { ...options, builtInAgent, defaultAgent: options.defaultAgent ?? first };
}

/** `landline config schema` prints it, for editors. */
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

/** Resolves relative program paths against the folder of the config file, not the session's folder. */
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
    // Do not include the parser's message: it may quote the file, which may contain API keys.
    const place = /line \d+ column \d+/.exec(error instanceof Error ? error.message : "")?.[0];
    const where = place === undefined ? "" : ` (${place})`;
    throw configProblem(`${path}: not valid JSON${where}; JSON has no comments.`);
  }
}

/** Compiling a schema is slower than interpreting it for a single value. */
const once = { jitless: true };

async function checkFile(path: string, content: unknown): Promise<ConfigFile> {
  const { configSchema, configJsonSchema: jsonSchema } = await import("./config/schema.ts");
  const { $schema: _schema, ...fields } = (content ?? {}) as Record<string, unknown>;
  const isObject = typeof content === "object" && content !== null && !Array.isArray(content);
  if (!isObject) throw configProblem(`${path}: the file must contain one JSON object.`);
  const read = configSchema.safeParse(fields, once);
  if (!read.success) throw schemaProblem(path, read.error.issues, jsonSchema());
  const ids = (read.data.agents ?? []).map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw configProblem(`${path}: two agents have the id ${JSON.stringify(twice)}.`);
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
    dataFolder: expandedPath(dataFolder, environment),
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
    certificate: certificateFiles(config, environment),
    publicUrl,
    logLevel: config.logLevel,
    trace: config.trace ?? false,
    acpV2: config.acpV2 ?? false,
    token: environment["LANDLINE_TOKEN"] || null,
  };
}

function certificateFiles({ cert, key }: ConfigFile, environment: Environment) {
  if (cert === undefined && key === undefined) return null;
  if (cert !== undefined && key !== undefined)
    return { cert: expandedPath(cert, environment), key: expandedPath(key, environment) };
  throw configProblem(
    cert === undefined ? "A key needs a certificate: --cert." : "A certificate needs a key: --key.",
  );
}

function agentConfig(
  agent: NonNullable<ConfigFile["agents"]>[number],
  environment: Environment,
): AgentConfig {
  const { name, quirks, acpVersion } = agent;
  const shared = {
    id: agent.id,
    ...(name === undefined ? {} : { name }),
    ...(quirks === undefined ? {} : { quirks }),
    ...(acpVersion === undefined ? {} : { acpVersion }),
  };
  if ("endpoint" in agent) {
    const { endpoint, token } = agent;
    return { ...shared, endpoint, ...(token === undefined ? {} : { token }) };
  }
  const { command, args, env, cwd } = agent;
  return {
    ...shared,
    command: expandedPath(command, environment),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd: expandedPath(cwd, environment) }),
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
  const expanded = (paths: readonly string[]) =>
    paths.map((path) => expandedPath(path, environment));
  return {
    write: expanded(write),
    read: expanded(read),
    caches: caches === undefined ? null : expanded(caches),
  };
}

function projects(config: ConfigFile, environment: Environment): ProjectDefaults[] {
  return Object.entries(config.projects ?? {})
    .map(([folder, { mcpServers }]) => ({
      folder: join(expandedPath(folder, environment), "."),
      // Validated by the schema of the same field in the API.
      mcpServers: (mcpServers ?? []) as readonly McpServer[],
    }))
    .sort((left, right) => right.folder.length - left.folder.length);
}

function limits(config: ConfigFile): Limits {
  const { askLimitSeconds, idleAgentMinutes, maxAgents } = config;
  const overrides: LimitOverrides = {
    // Validated by a schema that is generated from the limits.
    ...(config.limits as LimitOverrides | undefined),
    ...(idleAgentMinutes === undefined ? {} : { agentIdleMs: idleMs(idleAgentMinutes) }),
    ...(maxAgents === undefined ? {} : { agentsRunning: maxAgents }),
    ...(askLimitSeconds === undefined ? {} : { askMs: Math.ceil(askLimitSeconds * 1_000) }),
  };
  return limitsOf(config.limitsProfile ?? "default", overrides);
}

/** Null means never. */
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

function refuseInsecureHost(host: string, insecureLan: boolean): void {
  if (isLoopbackHost(host) || insecureLan) return;
  throw new LandlineError("config-invalid", {
    message:
      `Listening on ${host} would let everybody on the network try to connect, and would send the token, ` +
      "which permits running commands here, over the network unencrypted.",
    help:
      "Serve HTTPS with --cert and --key, keep 127.0.0.1 and put a TLS proxy in front (--public-url, --base-path), " +
      "or accept the risk with --insecure-lan.",
  });
}
