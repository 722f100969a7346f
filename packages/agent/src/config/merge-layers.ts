import { join } from "node:path";
import { isRecord } from "@landline/system/json";
import type { Rule } from "../permission/rule.ts";
import type { AgentSource } from "./agents.ts";
import type { CommandSource } from "./command-definitions.ts";
import type { Config } from "./config.ts";
import { type ConfigDocument } from "./config-document.ts";
import { rulesOfPermission, rulesOfTools } from "./permission-setting.ts";
import { expandPattern } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import type { Instruction } from "./rules-files.ts";
import type { Settings } from "./schema.ts";
import { toFileProgram, toMcpServer, toProvider } from "./convert-settings.ts";

/** The settings of one source: a configuration file, or the Markdown files of a folder. */
export interface Layer {
  document: Pick<ConfigDocument, "file" | "base" | "owner">;
  /** From an untrusted project. */
  isUntrusted?: true;
  /** The files that were read. */
  files: readonly string[];
  settings: Settings;
  agents: ReadonlyMap<string, AgentSource>;
  commands: ReadonlyMap<string, CommandSource>;
}

/** The merged layers, before rules files and tools are read. */
export interface Merged {
  values: Pick<
    Config,
    | "model"
    | "smallModel"
    | "providers"
    | "localProviders"
    | "permissionLevel"
    | "sandbox"
    | "mcpServers"
    | "compaction"
    | "subagentDepth"
    | "formatters"
    | "linters"
  >;
  rules: Config["rules"];
  defaultAgent: string | undefined;
  agents: Map<string, AgentSource[]>;
  commands: Map<string, CommandSource>;
  instructions: Instruction[];
}

/**
 * Later layers win: single values are replaced, named entries are merged, rules and instructions are
 * concatenated.
 */
export function mergeLayers(layers: readonly Layer[], home: string, problems: Problems): Merged {
  const settings = layers.map((layer) => layer.settings);
  const last = <Key extends keyof Settings>(key: Key): Settings[Key] | undefined =>
    settings.findLast((one) => one[key] !== undefined)?.[key];
  const entries = entriesBy(settings);
  return {
    values: {
      model: modelId(last("model"), layers, "model", problems),
      smallModel: modelId(last("small_model"), layers, "small_model", problems),
      providers: Object.fromEntries(entries.provider.map(([id, one]) => [id, toProvider(one)])),
      localProviders: last("local_providers") ?? true,
      permissionLevel: last("permission_level") ?? "ask",
      sandbox: toSandbox(last("sandbox"), home),
      mcpServers: entries.mcp.flatMap(([name, one]) => {
        const server = toMcpServer(name, one);
        if (typeof server !== "string") return server ?? [];
        problems.add(sourceOf(layers, "mcp", name), `\`mcp.${name}\` was left out: ${server}.`);
        return [];
      }),
      compaction: { auto: last("compaction")?.auto ?? true },
      subagentDepth: last("subagent_depth") ?? 1,
      formatters: entries.formatter.flatMap(([name, one]) => toFileProgram(name, one) ?? []),
      linters: entries.linter.flatMap(([name, one]) => toFileProgram(name, one) ?? []),
    },
    rules: { user: rulesOf("person", layers, home), project: rulesOf("project", layers, home) },
    defaultAgent: last("default_agent"),
    ...mergeSources(layers),
    instructions: layers.flatMap(({ document, settings: one }) =>
      (one.instructions ?? []).map((pattern) => ({
        pattern: absolutePattern(pattern, document.base, home),
        source: document.file,
        owner: document.owner,
      })),
    ),
  };
}

/** On unless a file turns it off. */
function toSandbox(setting: Settings["sandbox"], home: string): Config["sandbox"] {
  if (setting === false) return null;
  const {
    write = [],
    read = [],
    caches,
    network = "off",
  } = typeof setting === "object" ? setting : {};
  const expanded = (paths: readonly string[]) => paths.map((path) => expandPattern(path, home));
  return {
    isWanted: setting !== undefined,
    network,
    write: expanded(write),
    read: expanded(read),
    caches: caches === undefined ? null : expanded(caches),
  };
}

/** The rules of one owner's files, as one source: the last match wins. */
function rulesOf(owner: ConfigDocument["owner"], layers: readonly Layer[], home: string): Rule[] {
  const own = layers.filter(({ document }) => document.owner === owner);
  return own.flatMap(({ settings: { tools = {}, permission } }) =>
    rulesOfTools(tools).concat(permission === undefined ? [] : rulesOfPermission(permission, home)),
  );
}

function entriesOf<Value>(
  records: readonly (Record<string, Value> | undefined)[],
): [string, Value][] {
  const merged = mergeRecords(records.map((record) => record ?? {}));
  return Object.entries(merged as Record<string, Value>);
}

type EntryKey = "provider" | "mcp" | "formatter" | "linter";

function entriesBy(settings: readonly Settings[]): {
  [Key in EntryKey]: [string, NonNullable<Settings[Key]>[string]][];
} {
  return {
    provider: entriesOf(settings.map((one) => one.provider)),
    mcp: entriesOf(settings.map((one) => one.mcp)),
    formatter: entriesOf(settings.map((one) => one.formatter)),
    linter: entriesOf(settings.map((one) => one.linter)),
  };
}

function mergeSources(layers: readonly Layer[]): Pick<Merged, "agents" | "commands"> {
  const agents = new Map<string, AgentSource[]>();
  const commands = new Map<string, CommandSource>();
  const addAgent = (id: string, source: AgentSource): void => {
    agents.set(id, [...(agents.get(id) ?? []), source]);
  };
  for (const { document, settings, isUntrusted, ...markdown } of layers) {
    const trust = isUntrusted && { isUntrusted };
    for (const [id, source] of markdown.agents) addAgent(id, { ...source, ...trust });
    for (const [name, source] of markdown.commands) commands.set(name, source);
    for (const [id, setting] of Object.entries(settings.agent ?? {})) {
      addAgent(id, { setting, source: document.file, ...trust });
    }
    for (const [name, setting] of Object.entries(settings.command ?? {})) {
      commands.set(name, { setting, source: document.file });
    }
  }
  return { agents, commands };
}

function modelId(
  id: string | undefined,
  layers: readonly Layer[],
  key: "model" | "small_model",
  problems: Problems,
): string | undefined {
  if (id === undefined || /^[^/\s]+\/\S/.test(id)) return id;
  const layer = layers.findLast(({ settings }) => settings[key] !== undefined);
  const file = layer?.document.file ?? "configuration";
  problems.add({ file }, `\`${key}\` is "${id}": write it as provider/model. It was left out.`);
  return undefined;
}

function sourceOf(layers: readonly Layer[], key: "mcp", name: string): { file: string } {
  const layer = layers.findLast(({ settings }) => settings[key]?.[name] !== undefined);
  return { file: layer?.document.file ?? "configuration" };
}

/** URLs are left unchanged and refused later. */
function absolutePattern(pattern: string, base: string, home: string): string {
  const expanded = expandPattern(pattern, home);
  return /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(expanded) ? expanded : join(base, expanded);
}

/** Objects are merged, everything else is replaced. */
export function mergeRecords(records: readonly Record<string, unknown>[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) {
      const before = merged[key];
      merged[key] = isRecord(before) && isRecord(value) ? mergeRecords([before, value]) : value;
    }
  }
  return merged;
}
