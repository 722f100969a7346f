/**
 * What a client may ask of the gateway, over `landline.v1`, over HTTP and over `bridge.v1`: one list of
 * fields for all. This entry brings zod; whoever only wants the types takes them with `import type`.
 */
export { bodySchemas, readBody } from "./commands/body.ts";
export type { Body, BodyName } from "./commands/body.ts";
export { commandSchema, readCommand } from "./commands/command.ts";
export type { Command, CommandType } from "./commands/command.ts";
export { contentBlocks, promptContentSchema } from "./commands/content.ts";
export type { PromptContent } from "./commands/content.ts";
export { readBridgeMessage } from "./dialects/bridge-message.ts";
export type { BridgeCommand } from "./dialects/bridge-message.ts";
