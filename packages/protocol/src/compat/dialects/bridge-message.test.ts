import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { LandlineError } from "../../errors.ts";
import { readBridgeMessage } from "./bridge-message.ts";

describe("messages of seed 001's chat", () => {
  it.each<[string, unknown, unknown]>([
    [
      "send_message",
      { type: "send_message", sessionId: "s", content: "hi" },
      { type: "prompt", sessionId: "s", content: "hi" },
    ],
    ["cancel_turn", { type: "cancel_turn", sessionId: "s" }, { type: "cancel", sessionId: "s" }],
    [
      "permission_response",
      {
        type: "permission_response",
        requestId: "ask-1",
        outcome: { outcome: "selected", optionId: "yes" },
      },
      { type: "answer", askId: "ask-1", outcome: { outcome: "selected", optionId: "yes" } },
    ],
    [
      "change_mode",
      { type: "change_mode", sessionId: "s", modeId: "code" },
      { type: "set-mode", sessionId: "s", modeId: "code" },
    ],
    [
      "load_session",
      { type: "load_session", sessionId: "s", after: 4 },
      { type: "attach", sessionId: "s", after: 4 },
    ],
    ["new_session", { type: "new_session" }, { type: "open" }],
    [
      "new_session with everything",
      {
        type: "new_session",
        cwd: "/repo",
        agent: "held",
        title: "T",
        mcpServers: [],
        _meta: { a: 1 },
      },
      { type: "open", cwd: "/repo", agent: "held", title: "T", mcpServers: [] },
    ],
  ])("%s", (_type, message, command) => {
    expect(readBridgeMessage(message)).toEqual(command);
  });

  it("accepts content blocks and a prompt id", () => {
    const content = [{ type: "resource_link", uri: "file:///repo/a.txt" }];
    expect(
      readBridgeMessage({ type: "send_message", sessionId: "s", promptId: "p", content }),
    ).toEqual({
      type: "prompt",
      sessionId: "s",
      promptId: "p",
      content: [{ type: "resource_link", name: "a.txt", uri: "file:///repo/a.txt" }],
    });
  });

  it.each<[unknown, unknown]>([
    [{ outcome: "timeout" }, { outcome: "cancelled" }],
    [{ optionId: "yes" }, { outcome: "selected", optionId: "yes" }],
    ["cancelled", { outcome: "cancelled" }],
    [
      { action: "accept", content: { name: "x" } },
      { action: "accept", content: { name: "x" } },
    ],
  ])("reads the outcome %j", (outcome, read) => {
    expect(
      readBridgeMessage({ type: "permission_response", requestId: "a", outcome }),
    ).toMatchObject({ outcome: read });
  });
});

describe("invalid messages", () => {
  it.each<[unknown, RegExp]>([
    [null, /^The message must be an object\.$/],
    ["send_message", /^The message must be an object\.$/],
    [[], /^The message must be an object\.$/],
    [{}, /^type must be "send_message" or /],
    [{ type: "rm" }, /^type must be "send_message" or /],
    [{ type: "send_message", content: "hi" }, /^sessionId must be a string\.$/],
    [{ type: "send_message", sessionId: "s" }, /^content must be a string or an array\.$/],
    [
      { type: "send_message", sessionId: "s", content: "" },
      /^content must be at least 1 character/,
    ],
    [{ type: "send_message", sessionId: "s", content: [] }, /^content must be at least 1 item/],
    [
      { type: "send_message", sessionId: "s\0", content: "hi" },
      /^sessionId must not contain a NUL/,
    ],
    [{ type: "cancel_turn", sessionId: "s".repeat(1_025) }, /^sessionId must be at most 1024/],
    [{ type: "permission_response", outcome: "cancelled" }, /^requestId must be a string\.$/],
    [{ type: "permission_response", requestId: "a" }, /^outcome must be /],
    [{ type: "permission_response", requestId: "a", outcome: {} }, /^outcome\.outcome must be /],
    [{ type: "change_mode", sessionId: "s", modeId: 7 }, /^modeId must be a string\.$/],
    [{ type: "load_session", sessionId: "s", after: -1 }, /^after must be at least 0\.$/],
    [{ type: "new_session", cwd: "../repo" }, /^cwd must be an absolute path\.$/],
    [{ type: "new_session", folder: "/repo" }, /^folder is not a known field\.$/],
    [{ type: "cancel_turn", sessionId: "s", force: true }, /^force is not a known field\.$/],
    [{ type: "load_session", sessionId: "s", since: 4 }, /^since is not a known field\.$/],
    [
      { type: "permission_response", requestId: "a", outcome: "cancelled", note: "no" },
      /^note is not a known field\.$/,
    ],
  ])("%j is refused with the name of the field", (message, words) => {
    expect(() => readBridgeMessage(message)).toThrow(words);
    expect(() => readBridgeMessage(message)).toThrow(LandlineError);
  });

  test.prop([fc.jsonValue()])("is refused with invalid-params, whatever it is", (message) => {
    expect(() => readBridgeMessage(message)).toThrow(
      expect.objectContaining({ code: "invalid-params" }),
    );
  });
});
