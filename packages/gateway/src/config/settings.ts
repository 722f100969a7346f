import { resolve } from "node:path";
import type { ConfigField } from "./schema.ts";

/** A value from a flag or an environment variable, with its name for messages. */
export interface Setting {
  readonly label: string;
  readonly field: ConfigField;
  readonly value: unknown;
}

/** Command-line flags of the gateway, unparsed. */
export interface ConfigFlags {
  readonly config?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: string;
  /** "name=command args…"; may be repeated. */
  readonly agent?: readonly string[];
  readonly limits?: string;
  readonly durability?: string;
  readonly basePath?: string;
  readonly publicUrl?: string;
  /** May be repeated. */
  readonly origin?: readonly string[];
  readonly logLevel?: string;
  readonly trace?: boolean;
  readonly acpV2?: boolean;
  readonly insecureLan?: boolean;
  readonly cert?: string;
  readonly key?: string;
}

type Reading = (text: string, workingFolder: string) => unknown;

const asText: Reading = (text) => text;
const asPath: Reading = (text, workingFolder) => resolve(workingFolder, text);
const asList: Reading = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
/** A text that is not a number stays a string, and the schema rejects it. */
const asNumber: Reading = (text) => (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);
const asBoolean: Reading = (text) => {
  if (/^(?:1|true|yes|on)$/i.test(text)) return true;
  return /^(?:0|false|no|off)$/i.test(text) ? false : text;
};

const readings: Readonly<Partial<Record<ConfigField, Reading>>> = {
  dataFolder: asPath,
  cert: asPath,
  key: asPath,
  port: asNumber,
  insecureLan: asBoolean,
  hosts: asList,
  origins: asList,
  resumeQueue: asBoolean,
  trace: asBoolean,
  acpV2: asBoolean,
  idleAgentMinutes: asNumber,
  maxAgents: asNumber,
  askLimitSeconds: asNumber,
};

/** config.ts reads LANDLINE_CONFIG and LANDLINE_TOKEN itself. */
const variables = {
  LANDLINE_DATA: "dataFolder",
  LANDLINE_HOST: "host",
  LANDLINE_PORT: "port",
  LANDLINE_INSECURE_LAN: "insecureLan",
  LANDLINE_CERT: "cert",
  LANDLINE_KEY: "key",
  LANDLINE_DEFAULT_AGENT: "defaultAgent",
  LANDLINE_LIMITS: "limitsProfile",
  LANDLINE_DURABILITY: "durability",
  LANDLINE_RESUME_QUEUE: "resumeQueue",
  LANDLINE_BASE_PATH: "basePath",
  LANDLINE_PUBLIC_URL: "publicUrl",
  LANDLINE_HOSTS: "hosts",
  LANDLINE_ORIGINS: "origins",
  LANDLINE_LOG_LEVEL: "logLevel",
  LANDLINE_TRACE: "trace",
  LANDLINE_ACP_V2: "acpV2",
  LANDLINE_IDLE_AGENT_MINUTES: "idleAgentMinutes",
  LANDLINE_MAX_AGENTS: "maxAgents",
  LANDLINE_ASK_LIMIT_SECONDS: "askLimitSeconds",
} as const satisfies Record<string, ConfigField>;

const flagFields = {
  data: ["--data", "dataFolder"],
  host: ["--host", "host"],
  port: ["--port", "port"],
  limits: ["--limits", "limitsProfile"],
  durability: ["--durability", "durability"],
  basePath: ["--base-path", "basePath"],
  publicUrl: ["--public-url", "publicUrl"],
  origin: ["--origin", "origins"],
  logLevel: ["--log-level", "logLevel"],
  trace: ["--trace", "trace"],
  acpV2: ["--acp-v2", "acpV2"],
  insecureLan: ["--insecure-lan", "insecureLan"],
  cert: ["--cert", "cert"],
  key: ["--key", "key"],
} as const satisfies Partial<Record<keyof ConfigFlags, readonly [string, ConfigField]>>;

/** An empty variable counts as unset. */
export function environmentSettings(
  environment: Readonly<Record<string, string | undefined>>,
  workingFolder: string,
): Setting[] {
  return Object.entries(variables).flatMap(([label, field]) => {
    const text = environment[label];
    return text === undefined || text === "" ? [] : [setting(label, field, text, workingFolder)];
  });
}

export function flagSettings(flags: ConfigFlags, workingFolder: string): Setting[] {
  return Object.entries(flagFields).flatMap(([name, [label, field]]) => {
    const given = flags[name as keyof typeof flagFields];
    if (given === undefined) return [];
    return [
      typeof given === "string"
        ? setting(label, field, given, workingFolder)
        : { label, field, value: given },
    ];
  });
}

function setting(label: string, field: ConfigField, text: string, workingFolder: string): Setting {
  const reading = readings[field] ?? asText;
  return { label, field, value: reading(text, workingFolder) };
}
