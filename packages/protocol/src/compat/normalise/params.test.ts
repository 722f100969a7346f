import { describe, expect, test } from "vitest";
import type { LandlineError } from "../../errors.ts";
import { Hits } from "./hits.ts";
import { normaliseParams } from "./params.ts";

function refusal(code: string): LandlineError {
  return expect.objectContaining({ code }) as LandlineError;
}

describe("initialize", () => {
  test("seed 002's capabilities are read on version 1", () => {
    const params = {
      protocolVersion: 1,
      capabilities: { textFiles: { read: true }, terminals: { create: true }, permissions: {} },
    };
    expect(normaliseParams("initialize", params)).toEqual({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: false }, terminal: true },
    });
  });

  test.each([
    { protocolVersion: 2, capabilities: { textFiles: { read: true } } },
    { protocolVersion: 1, capabilities: { auth: {} } },
    { protocolVersion: 1, capabilities: { textFiles: {} }, clientCapabilities: {} },
    { protocolVersion: "latest" },
  ])("%j stays", (params) => {
    expect(normaliseParams("initialize", params)).toBe(params);
  });

  test("without a version it is refused, and counted", () => {
    const hits = new Hits();
    expect(() => normaliseParams("initialize", {}, hits)).toThrow(refusal("invalid-params"));
    expect(hits.entries()).toEqual([["version-missing", 1]]);
  });
});

describe("session/update", () => {
  test("a kind beside the session id is moved into the update", () => {
    const hits = new Hits();
    const update = { sessionUpdate: "current_mode_update", currentModeId: "plan" };
    expect(normaliseParams("session/update", { sessionId: "1", ...update }, hits)).toEqual({
      sessionId: "1",
      update,
    });
    expect(hits.entries()).toEqual([["update-flat", 1]]);
  });

  test("a status without a kind is not an update", () => {
    expect(normaliseParams("session/update", { sessionId: "1", status: "idle" })).toBeNull();
  });

  test.each([{ sessionId: "1" }, { sessionId: "1", update: "x" }, { status: "idle", update: 1 }])(
    "%j stays",
    (params) => {
      expect(normaliseParams("session/update", params)).toBe(params);
    },
  );
});

describe("a request that names no session", () => {
  test.each(["fs/read_text_file", "terminal/create", "terminal/release"])("%s", (method) => {
    const params = { path: "/a" };
    expect(normaliseParams(method, params, undefined, { onlySession: "s" })).toEqual({
      path: "/a",
      sessionId: "s",
    });
    expect(() => normaliseParams(method, params)).toThrow(refusal("invalid-params"));
  });

  test("one that names a session keeps it", () => {
    const params = { sessionId: "other" };
    expect(normaliseParams("fs/read_text_file", params, undefined, { onlySession: "s" })).toBe(
      params,
    );
  });
});

test.each(["shutdown", "fs/list_directory", "session/set_model", "_vendor/thing"])(
  "the params of %s have no alternative spelling",
  (method) => {
    const params = { authMethodId: "a", mcpServers: null, currentMode: "b" };
    expect(normaliseParams(method, params)).toBe(params);
  },
);

test.each([undefined, null, 1, "x", [1]])("params that are %j stay", (params) => {
  expect(normaliseParams("session/new", params)).toBe(params);
});
