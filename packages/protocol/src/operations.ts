/**
 * The schemas of the operations: what clients may send to the gateway and what it returns, over WebSocket and HTTP. This
 * entry brings zod; the table alone is in the root entry, and the types can be taken from there.
 */
export { contracts } from "./operations/contracts.ts";
export type { Contract } from "./operations/contract.ts";
export { promptContentSchema } from "./operations/content.ts";
export { ruleFields } from "./operations/contracts/rules.ts";
export { mcpServersSchema } from "./operations/mcp-servers.ts";
export { readCommand, readInput } from "./operations/read-input.ts";
export type { Command, CommandOf } from "./operations/read-input.ts";
export { readWith } from "./operations/read.ts";
export { readBridgeMessage } from "./compat/dialects/bridge-message.ts";
export type { BridgeCommand } from "./compat/dialects/bridge-message.ts";
export { shapes } from "./operations/shapes.ts";
