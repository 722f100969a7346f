import { isIP } from "node:net";
import { limitNames, limitRow } from "@landline/protocol";
import { mcpServersSchema } from "@landline/protocol/operations";
import { isHostPattern } from "@landline/sandbox/host-pattern";
import { z } from "zod";
import { quirkNames } from "../gateway-options.ts";

/**
 * The config file. Every field may be left out; defaults are filled in by config.ts, so that what stands
 * here is what a person may write.
 */
const withoutNul = (value: string): boolean => !value.includes("\0");
const line = z
  .string()
  .min(1, { error: "must not be empty" })
  .refine(withoutNul, { error: "must not contain a NUL character" });

const path = line.regex(/^(?:\/|~(?:\/|$)|[A-Za-z]:[\\/]|\\\\)/, {
  error: "must be an absolute path (one that begins with ~/ is one too)",
});

const reachableHost = z.string().refine(isHostPattern, {
  error: 'must be a host: "example.com", "*.example.com" or "localhost:3000"',
});

const agentId = line.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
  error: "must be 1 to 64 letters, digits, dots, dashes or underscores",
});

const quirks = z
  .array(z.enum(quirkNames))
  .optional()
  .describe("What the agent needs that the protocol can't say; docs/cli.md lists them.");

const sandboxFields = {
  write: z.array(path).optional().describe("What it may change besides the project."),
  read: z.array(path).optional().describe("What it may read below the home folder."),
  caches: z.array(path).optional().describe("Caches of tools, in place of the known ones."),
};

const network = (description: string) =>
  z
    .union([z.enum(["on", "off"]), z.array(reachableHost).min(1).max(200)], {
      error:
        'must be "on", "off" or a list of hosts: "example.com", "*.example.com", "localhost:3000"',
    })
    .optional()
    .describe(description);

const agentPolicy = z.strictObject({
  withhold: z
    .array(z.enum(["files", "terminals"]))
    .optional()
    .describe("What it is not offered, so that its own sandbox applies."),
  sandbox: z
    .union([
      z.boolean(),
      z.strictObject({
        ...sandboxFields,
        network: network("Whether it may use the network, or which hosts of it; on."),
      }),
    ])
    .optional()
    .describe("Whether the agent and all that it starts are confined to the project; docs/cli.md."),
  terminalSandbox: z
    .union([
      z.boolean(),
      z.strictObject({
        ...sandboxFields,
        network: network("Whether commands may use the network, or which hosts of it; off."),
      }),
    ])
    .optional()
    .describe("Whether commands in its terminals are confined to the project; docs/cli.md."),
});

const processAgent = z.strictObject({
  id: agentId.describe("How the agent is called in commands and in the API."),
  name: line.optional().describe("How people see it; the id unless told."),
  command: line.describe(
    "A program, by name or by path; a relative path is one from the folder of this file.",
  ),
  args: z.array(z.string().refine(withoutNul)).optional(),
  env: z.record(line, z.string().refine(withoutNul)).optional(),
  cwd: path.optional().describe("Where it is started; the session's folder unless told."),
  quirks,
});

const endpointAgent = z.strictObject({
  id: agentId,
  name: line.optional(),
  endpoint: line
    .refine(isTcpEndpoint, { error: "must be tcp://host:port" })
    .describe("Where an agent listens that runs by itself: tcp://host:port."),
  token: line
    .optional()
    .describe("What it wants to hear before anything else; sent in `initialize`."),
  quirks,
});

const host = line.refine(isHost, {
  error: "must be a host name, with :port where it is not the default",
});

export const configSchema = z.strictObject({
  dataFolder: path.optional().describe("Where sessions are kept."),
  host: line
    .refine((value) => isIP(value) !== 0 || isHost(value), {
      error: "must be an address or a host name",
    })
    .optional()
    .describe("The address to listen on; 127.0.0.1 unless told."),
  port: z
    .int({ error: "must be a whole number from 0 to 65535" })
    .min(0)
    .max(65_535)
    .optional()
    .describe("The port to listen on; 3001 unless told, and 0 for a free one."),
  insecureLan: z
    .boolean()
    .optional()
    .describe("Allows a host past loopback, without encryption: the token can be read on the way."),
  agents: z.array(z.union([processAgent, endpointAgent])).optional(),
  defaultAgent: agentId.optional().describe("For commands and clients that name none."),
  projects: z
    .record(path, z.strictObject({ mcpServers: mcpServersSchema.exactOptional() }))
    .optional()
    .describe("By folder: what sessions there get when they are opened without."),
  limitsProfile: z.enum(["default", "spec"]).optional(),
  limits: limitsSchema().optional().describe("Single limits; docs/limits.md lists them."),
  durability: z
    .enum(["process", "disk"])
    .optional()
    .describe("What an event survives before anybody sees it: the process, or a power cut."),
  retention: z
    .strictObject({
      maxAgeDays: z.number().positive().optional(),
      maxBytes: z.int().positive().optional(),
    })
    .optional()
    .describe("Which sessions are removed; none unless told."),
  policy: z
    .record(agentId, agentPolicy)
    .optional()
    .describe("By agent: what it is not offered, and whether it is confined."),
  resumeQueue: z
    .boolean()
    .optional()
    .describe("Whether waiting prompts are sent by themselves after a restart."),
  basePath: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9._~-]+)*\/?$/, {
      error: 'must be a path like "/landline"',
    })
    .optional()
    .describe("The path below which everything is served, behind a proxy."),
  publicUrl: line
    .refine(isPublicUrl, { error: "must be an http or https URL without a query" })
    .optional()
    .describe("Where people reach it through a proxy."),
  hosts: z.array(host).optional().describe("Names that it answers to, beside loopback ones."),
  origins: z
    .array(line.refine(isOrigin, { error: 'must be an origin like "https://example.org"' }))
    .optional()
    .describe("Pages of others that may use it."),
  logLevel: z.enum(["silent", "error", "warn", "info", "debug"]).optional(),
  trace: z
    .boolean()
    .optional()
    .describe(
      "Whether what agents are sent and send is written down beside the log of the session.",
    ),
  idleAgentMinutes: z
    .number()
    .min(0)
    .optional()
    .describe("After how long an idle agent is ended; 30 unless told, and 0 for never."),
  maxAgents: z
    .int()
    .min(1)
    .optional()
    .describe("How many agents run at once; 32 unless told. Others wait for one to end."),
  askLimitSeconds: z
    .number()
    .positive()
    .optional()
    .describe("How long a permission or a question waits for an answer; for ever unless told."),
});

export type ConfigFile = z.output<typeof configSchema>;
export type ConfigField = keyof ConfigFile;

/** Written out by name, so that the JSON schema lists them and a wrong name gets a hint. */
function limitsSchema() {
  const changeable = limitNames.filter((name) => !limitRow(name).fixed);
  // Made once for all that are alike: making hundreds is felt at every start.
  const made = new Map<string, ReturnType<typeof amountSchema>>();
  const shape = changeable.map((name) => {
    const { unit, default: ours, spec } = limitRow(name);
    const mayBeNone = ours === null || spec === null;
    const kind = `${unit} ${mayBeNone}`;
    const schema = made.get(kind) ?? amountSchema(unit, mayBeNone);
    made.set(kind, schema);
    return [name, schema] as const;
  });
  return z.strictObject(Object.fromEntries(shape));
}

function amountSchema(unit: string, mayBeNone: boolean) {
  const amount = z.int().min(0).describe(`In ${unit}.`);
  return (mayBeNone ? amount.nullable() : amount).optional();
}

function isTcpEndpoint(value: string): boolean {
  const url = URL.parse(value);
  return (
    url?.protocol === "tcp:" &&
    url.hostname !== "" &&
    url.port !== "" &&
    (url.pathname === "" || url.pathname === "/") &&
    url.username === "" &&
    url.search === ""
  );
}

function isHost(value: string): boolean {
  return (
    URL.canParse(`http://${value}`) && /^(?:\[[0-9a-fA-F:.]+\]|[^:/?#@\s]+)(?::\d+)?$/.test(value)
  );
}

function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && url.origin !== "null" && url.origin === value;
}

function isPublicUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.username === "";
}

/** For editors: what `landline config schema` prints. */
export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { io: "output" }),
    title: "The config file of Landline",
  };
}
