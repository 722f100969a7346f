import { isHostPattern } from "@landline/sandbox/host-pattern";
import { z } from "zod";
import { permissionLevels } from "./permission-level.ts";

const actionSchema = z.enum(["allow", "ask", "deny"]);

/** One action for everything, by permission, or by permission and pattern. */
export const permissionSchema = z.union([
  actionSchema,
  z.record(z.string(), z.union([actionSchema, z.record(z.string(), actionSchema)])),
]);
export type PermissionSetting = z.infer<typeof permissionSchema>;

const toolsSchema = z.record(z.string(), z.boolean());

const textMap = z.record(z.string(), z.string());

const modelSchema = z.looseObject({
  name: z.string().optional(),
  limit: z
    .looseObject({
      context: z.number().int().positive().optional(),
      output: z.number().int().positive().optional(),
    })
    .optional(),
  attachment: z.boolean().optional(),
  modalities: z.looseObject({ input: z.array(z.string()).optional() }).optional(),
  tool_call: z.boolean().optional(),
  efforts: z.array(z.string()).optional(),
});

const providerSchema = z.looseObject({
  name: z.string().optional(),
  kind: z.enum(["anthropic", "openai", "google", "openai-compatible"]).optional(),
  npm: z.string().optional(),
  options: z
    .looseObject({
      baseURL: z.url({ protocol: /^https?$/ }).optional(),
      apiKey: z.string().optional(),
      headers: textMap.optional(),
    })
    .optional(),
  models: z.record(z.string(), modelSchema).optional(),
});
export type ProviderSetting = z.infer<typeof providerSchema>;

export const agentSchema = z.looseObject({
  name: z.string().optional(),
  description: z.string().optional(),
  mode: z.enum(["primary", "subagent", "all"]).optional(),
  prompt: z.string().optional(),
  model: z.string().optional(),
  permission: permissionSchema.optional(),
  tools: toolsSchema.optional(),
  steps: z.number().int().positive().optional(),
  maxSteps: z.number().int().positive().optional(),
  hidden: z.boolean().optional(),
  disable: z.boolean().optional(),
});
export type AgentSetting = z.infer<typeof agentSchema>;

export const commandSchema = z.looseObject({
  template: z.string(),
  description: z.string().optional(),
  hint: z.string().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  subtask: z.boolean().optional(),
});
export type CommandSetting = z.infer<typeof commandSchema>;

const mcpSchema = z.looseObject({
  type: z.enum(["local", "stdio", "remote", "http", "sse"]).optional(),
  command: z.union([z.string().min(1), z.array(z.string()).min(1)]).optional(),
  args: z.array(z.string()).optional(),
  environment: textMap.optional(),
  env: textMap.optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  headers: textMap.optional(),
  enabled: z.boolean().optional(),
  timeout: z.number().int().positive().optional(),
});
export type McpSetting = z.infer<typeof mcpSchema>;

const fileProgramSchema = z.looseObject({
  command: z.array(z.string()).min(1).optional(),
  extensions: z.array(z.string()).optional(),
  environment: textMap.optional(),
  disabled: z.boolean().optional(),
});
export type FileProgramSetting = z.infer<typeof fileProgramSchema>;

/** A relative path would have a different meaning in each project. */
const homePaths = z.array(z.string().regex(/^(?:\/|~(?:\/|$))/)).optional();

const sandboxSchema = z.union([
  z.boolean(),
  z.looseObject({
    write: homePaths,
    read: homePaths,
    caches: homePaths,
    network: z.union([z.enum(["off", "on"]), z.array(z.string().refine(isHostPattern))]).optional(),
  }),
]);

/** Keys that are dropped as a whole when invalid. */
const wholeKeys = {
  model: z.string(),
  small_model: z.string(),
  local_providers: z.boolean(),
  permission: permissionSchema,
  permission_level: z.enum(permissionLevels),
  sandbox: sandboxSchema,
  tools: toolsSchema,
  default_agent: z.string(),
  instructions: z.array(z.string()),
  compaction: z.looseObject({ auto: z.boolean().optional() }),
  subagent_depth: z.number().int().min(0).max(5),
  trust: z.array(z.string()),
} as const;

/** Keys with named entries: only an invalid entry is dropped. */
const entryKeys = {
  provider: providerSchema,
  agent: agentSchema,
  command: commandSchema,
  mcp: mcpSchema,
  formatter: fileProgramSchema,
  linter: fileProgramSchema,
} as const;

type Whole = { [Key in keyof typeof wholeKeys]?: z.infer<(typeof wholeKeys)[Key]> };
type Entries = {
  [Key in keyof typeof entryKeys]?: Record<string, z.infer<(typeof entryKeys)[Key]>>;
};

/** The validated settings of one file, with the names used in the file. */
export type Settings = Whole & Entries;

export const schemas: { whole: Record<string, z.ZodType>; entries: Record<string, z.ZodType> } = {
  whole: wholeKeys,
  entries: entryKeys,
};
