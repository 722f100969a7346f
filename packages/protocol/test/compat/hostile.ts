import * as fc from "fast-check";

/** The names of the seeds and of the schema, in every wrong position and with every wrong type. */
const words = [
  "method",
  "sessionUpdate",
  "type",
  "content",
  "toolCall",
  "toolCallId",
  "toolName",
  "toolResult",
  "callId",
  "id",
  "name",
  "title",
  "label",
  "tool",
  "description",
  "arguments",
  "input",
  "result",
  "rawInput",
  "rawOutput",
  "subagent_type",
  "status",
  "plan",
  "steps",
  "entries",
  "availableCommands",
  "unstructured",
  "currentMode",
  "modes",
  "configOptions",
  "values",
  "options",
  "optionId",
  "kind",
  "currentValue",
  "uri",
  "data",
  "mcpServers",
  "command",
  "args",
  "env",
  "headers",
  "capabilities",
  "textFiles",
  "protocolVersion",
  "serverInfo",
  "sessionId",
  "update",
  "prompt",
  "outcome",
  "stopReason",
  "__proto__",
  "constructor",
];
const values = [
  "session/update",
  "tool_call",
  "tool_call_update",
  "tool_result",
  "thought_chunk",
  "user_message",
  "plan",
  "available_commands",
  "config_options",
  "current_mode_update",
  "agent_message_chunk",
  "text",
  "thinking",
  "error",
  "image",
  "resource_link",
  "content",
  "running",
  "partially_completed",
  "local",
  "remote",
  "unknown",
  "timeout",
  "auth_required",
];

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...values),
    fc.constantFrom(null, 0, 1, -1, true, false, "", "\u0000", "deny"),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...words), tie("tree"), { maxKeys: 6 }),
  ),
}));

export const hostileValue = tree;
// As JSON.parse makes it: `__proto__` is an ordinary field.
export const hostileRecord = fc
  .dictionary(fc.constantFrom(...words), tree, { maxKeys: 8 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

export function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
