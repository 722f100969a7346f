import { fc, test as property } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { AgentTranslator } from "./agent-translator.ts";
import { ClientTranslator } from "./client-translator.ts";

const id = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constant(null),
  fc.constant(1.5),
  fc.string(),
);
const sessionId = fc.oneof(fc.constantFrom("s1", "s2"), fc.jsonValue());
const update = fc.record(
  {
    sessionUpdate: fc.constantFrom(
      "user_message",
      "agent_message",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "tool_call_content_chunk",
      "terminal_update",
      "terminal_output_chunk",
      "plan",
      "plan_update",
      "state_update",
      "available_commands_update",
      "config_option_update",
      "current_mode_update",
      "_extension",
    ),
    toolCallId: fc.oneof(fc.constant("t1"), fc.jsonValue()),
    terminalId: fc.oneof(fc.constant("x"), fc.jsonValue()),
    messageId: fc.oneof(fc.constant("m1"), fc.jsonValue()),
    state: fc.constantFrom("running", "idle", "requires_action"),
    stopReason: fc.oneof(fc.constantFrom("end_turn", "error"), fc.jsonValue()),
    content: fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.record({
          type: fc.constantFrom("diff", "terminal", "content", "text"),
          terminalId: fc.constant("x"),
          changes: fc.jsonValue(),
          patch: fc.record({ format: fc.constant("git_patch"), text: fc.string() }),
          text: fc.string(),
          path: fc.jsonValue(),
        }),
      ),
    ),
    configOptions: fc.jsonValue(),
    availableCommands: fc.jsonValue(),
    plan: fc.jsonValue(),
    output: fc.jsonValue(),
    data: fc.jsonValue(),
  },
  { requiredKeys: ["sessionUpdate"] },
);
const method = fc.constantFrom(
  "initialize",
  "session/new",
  "session/load",
  "session/resume",
  "session/prompt",
  "session/set_config_option",
  "session/request_permission",
  "elicitation/create",
  "tool_call/cancel",
  "$/cancel_request",
  "_landline/turn",
  "_extension",
);
const message = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      id,
      method,
      params: fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            sessionId,
            protocolVersion: fc.constantFrom(1, 2, 3),
            mcpServers: fc.jsonValue(),
            update,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ["method"] },
  ),
  fc.record({ method: fc.constant("session/update"), params: fc.record({ sessionId, update }) }),
  fc.record({ id, result: fc.jsonValue(), error: fc.jsonValue() }, { requiredKeys: ["id"] }),
);
const step = fc.record({ isFromPeer: fc.boolean(), message });

describe.each([
  ["a client", ClientTranslator],
  ["an agent", AgentTranslator],
])("the translator of %s", (_name, Translator) => {
  property.prop([fc.array(step, { maxLength: 40 })])(
    "throws for no messages, and sends JSON",
    (steps) => {
      const sent: unknown[] = [];
      const translator = new Translator({
        toPeer: (given) => sent.push(given),
        toGateway: (given) => sent.push(given),
      });
      const params = { protocolVersion: 2, info: { name: "n", version: "1" } };
      const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params };
      const answer = { jsonrpc: "2.0", id: 0, result: { protocolVersion: 2 } };
      if (Translator === ClientTranslator) translator.fromPeer(initialize);
      else {
        translator.fromGateway(initialize);
        translator.fromPeer(answer);
      }
      for (const { isFromPeer, message: given } of steps)
        if (isFromPeer) translator.fromPeer(given);
        else translator.fromGateway(given);
      for (const given of sent) expect(typeof JSON.stringify(given)).toBe("string");
    },
  );
});
