import { describe, expect, test } from "vitest";
import { isAcpMethod, requestDefinition, responseDefinition, validateAcp } from "./schema.ts";

describe("validateAcp", () => {
  test("accepts conforming values, with unknown fields", () => {
    const update = {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "" },
      extra: 1,
    };
    expect(validateAcp("SessionUpdate", update)).toEqual([]);
  });

  test("reports the position and the problem of others", () => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text" } };
    expect(validateAcp("SessionUpdate", update)).toEqual([
      expect.stringMatching(/^\/content must have required property 'text'/),
    ]);
    expect(validateAcp("SessionUpdate", { sessionUpdate: "nonsense" })).toEqual([
      expect.stringContaining('"tagValue":"nonsense"'),
    ]);
  });

  test.each([
    ["ReadTextFileRequest", { sessionId: "1", path: "/a", line: 2 ** 32 }],
    ["ReadTextFileRequest", { sessionId: "1", path: "/a", line: 1.5 }],
    ["InitializeRequest", { protocolVersion: 65_536 }],
    ["Error", { code: 2 ** 31, message: "" }],
  ])("numbers outside the range of %s are invalid: %j", (definition, value) => {
    expect(validateAcp(definition, value)).not.toEqual([]);
  });

  test("unstable types are only in the unstable schema", () => {
    const params = { sessionId: "1", cwd: "/" };
    expect(validateAcp("ForkSessionRequest", params, { unstable: true })).toEqual([]);
    expect(() => validateAcp("ForkSessionRequest", params)).toThrow(/defines no ForkSession/);
  });
});

describe("definitions by method", () => {
  test.each([
    ["session/new", "NewSessionRequest", "NewSessionResponse"],
    ["terminal/wait_for_exit", "WaitForTerminalExitRequest", "WaitForTerminalExitResponse"],
  ])("%s", (method, request, response) => {
    expect(requestDefinition(method)).toBe(request);
    expect(responseDefinition(method)).toBe(response);
  });

  test("a notification has params and no result", () => {
    expect(requestDefinition("session/update")).toBe("SessionNotification");
    expect(() => responseDefinition("session/update")).toThrow(/no Response for session\/update/);
  });

  test("a method of the unstable schema, and an unknown one", () => {
    expect(isAcpMethod("session/fork")).toBe(false);
    expect(responseDefinition("session/fork", { unstable: true })).toBe("ForkSessionResponse");
    expect(isAcpMethod("session/set_model", { unstable: true })).toBe(false);
    expect(() => requestDefinition("session/set_model")).toThrow(RangeError);
  });
});
