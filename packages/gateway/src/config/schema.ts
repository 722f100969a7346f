import { isIP } from "node:net";
import { limitNames, limitRow } from "@landline/protocol";
import { mcpServersSchema } from "@landline/protocol/operations";
import { isHostPattern } from "@landline/sandbox/host-pattern";
import { z } from "zod";
import { endpointAddress, endpointForms } from "../agents/endpoint-address.ts";
import { quirkNames } from "../gateway-options.ts";

/**
 * The config file. Every field is optional; config.ts fills in the defaults.
 */
const withoutNul = (value: string): boolean => !value.includes("\0");
const line = z
  .string()
  .min(1, { error: "must not be empty" })
  .refine(withoutNul, { error: "must not contain a NUL character" });

const path = line.regex(/^(?:\/|~(?:\/|$)|[A-Za-z]:[\\/]|\\\\)/, {
  error: "must be an absolute path or begin with ~/",
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
  .describe("Deviations from ACP that this agent needs; docs/cli.md lists them.");

const acpVersion = z
  .union([z.literal(1), z.literal(2)], { error: "must be 1 or 2" })
  .optional()
  .describe("The version of ACP to offer the agent. Version 2 is a draft. Default: 1.");

const sandboxFields = {
  write: z.array(path).optional().describe("Writable paths besides the project."),
  read: z.array(path).optional().describe("Readable paths below the home folder."),
  caches: z.array(path).optional().describe("Writable tool caches; replaces the built-in list."),
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
    .describe("Capabilities that the agent is not offered, so that its own sandbox applies."),
  sandbox: z
    .union([
      z.boolean(),
      z.strictObject({
        ...sandboxFields,
        network: network("Network access: on, off, or a list of hosts. Default: on."),
      }),
    ])
    .optional()
    .describe("Confines the agent and its child processes to the project; see docs/cli.md."),
  terminalSandbox: z
    .union([
      z.boolean(),
      z.strictObject({
        ...sandboxFields,
        network: network("Network access of commands: on, off, or a list of hosts. Default: off."),
      }),
    ])
    .optional()
    .describe("Confines commands in the agent's terminals to the project; see docs/cli.md."),
});

const processAgent = z.strictObject({
  id: agentId.describe("The agent's id in commands and in the API."),
  name: line.optional().describe("The display name. Default: the id."),
  command: line.describe(
    "A program, by name or path. Relative paths are resolved against the folder of this file.",
  ),
  args: z.array(z.string().refine(withoutNul)).optional(),
  env: z.record(line, z.string().refine(withoutNul)).optional(),
  cwd: path.optional().describe("The working directory. Default: the session's folder."),
  quirks,
  acpVersion,
});

const endpointAgent = z.strictObject({
  id: agentId,
  name: line.optional(),
  endpoint: line
    .refine((value) => endpointAddress(value) !== null, { error: `must be ${endpointForms}` })
    .describe(`The address of an agent that is already running: ${endpointForms}.`),
  token: line
    .optional()
    .describe("A token for the agent. Default: the variable LANDLINE_AGENT_TOKEN_ and the id."),
  quirks,
  acpVersion,
});

const host = line.refine(isHost, {
  error: "must be a host name, with :port if it is not the default",
});

export const configSchema = z.strictObject({
  dataFolder: path.optional().describe("The folder for sessions and other data."),
  host: line
    .refine((value) => isIP(value) !== 0 || isHost(value), {
      error: "must be an address or a host name",
    })
    .optional()
    .describe("The address to listen on. Default: 127.0.0.1."),
  port: z
    .int({ error: "must be a whole number from 0 to 65535" })
    .min(0)
    .max(65_535)
    .optional()
    .describe("The port to listen on; 0 chooses a free one. Default: 3001."),
  insecureLan: z
    .boolean()
    .optional()
    .describe(
      "Allows a host that is not loopback, without encryption: others on the network can read the token.",
    ),
  cert: path
    .optional()
    .describe("A certificate with its chain, in PEM format: the gateway serves HTTPS."),
  key: path.optional().describe("The private key of the certificate, in PEM format."),
  agents: z.array(z.union([processAgent, endpointAgent])).optional(),
  defaultAgent: agentId.optional().describe("The agent for commands and clients that name none."),
  projects: z
    .record(path, z.strictObject({ mcpServers: mcpServersSchema.exactOptional() }))
    .optional()
    .describe("Defaults for sessions, by folder."),
  limitsProfile: z.enum(["default", "spec"]).optional(),
  limits: limitsSchema()
    .optional()
    .describe("Overrides of single limits; docs/limits.md lists them."),
  durability: z
    .enum(["process", "disk"])
    .optional()
    .describe(
      "What an event must survive before clients see it: a crash of the process, or a power failure.",
    ),
  retention: z
    .strictObject({
      maxAgeDays: z.number().positive().optional(),
      maxBytes: z.int().positive().optional(),
    })
    .optional()
    .describe("Which sessions are deleted. Default: none."),
  policy: z
    .record(agentId, agentPolicy)
    .optional()
    .describe("Capabilities and confinement, by agent id."),
  resumeQueue: z
    .boolean()
    .optional()
    .describe("Whether queued prompts are sent automatically after a restart."),
  basePath: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9._~-]+)*\/?$/, {
      error: 'must be a path like "/landline"',
    })
    .optional()
    .describe("The URL path prefix behind a proxy."),
  publicUrl: line
    .refine(isPublicUrl, { error: "must be an http or https URL without a query" })
    .optional()
    .describe("The URL of the gateway behind a proxy."),
  hosts: z.array(host).optional().describe("Accepted Host names besides loopback."),
  origins: z
    .array(line.refine(isOrigin, { error: 'must be an origin like "https://example.org"' }))
    .optional()
    .describe("Other web origins that may use the gateway."),
  logLevel: z.enum(["silent", "error", "warn", "info", "debug"]).optional(),
  trace: z
    .boolean()
    .optional()
    .describe(
      "Whether the messages to and from agents are recorded beside the log of the session.",
    ),
  acpV2: z
    .boolean()
    .optional()
    .describe(
      "Whether clients at /acp may use version 2 of ACP, which is a draft. Default: false.",
    ),
  idleAgentMinutes: z
    .number()
    .min(0)
    .optional()
    .describe("Idle time after which an agent process is stopped; 0 means never. Default: 30."),
  maxAgents: z
    .int()
    .min(1)
    .optional()
    .describe("The maximum number of running agents; others wait. Default: 32."),
  askLimitSeconds: z
    .number()
    .positive()
    .optional()
    .describe(
      "The time after which an unanswered permission request or question expires. Default: never.",
    ),
});

export type ConfigFile = z.output<typeof configSchema>;
export type ConfigField = keyof ConfigFile;

/** One property per limit, so that the JSON schema lists them and a misspelled name gets a suggestion. */
function limitsSchema() {
  const changeable = limitNames.filter((name) => !limitRow(name).fixed);
  // Share equal schemas: creating hundreds slows down every start.
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

/** `landline config schema` prints it, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { io: "output" }),
    title: "Landline configuration file",
  };
}
