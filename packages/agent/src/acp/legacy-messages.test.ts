import { describe, expect, test } from "vitest";
import { modernise } from "./legacy-messages.ts";

const request = (method: string, params: unknown) => ({ jsonrpc: "2.0", id: 1, method, params });
const modern = (method: string, params: unknown) =>
  (modernise(request(method, params)) as { params: unknown }).params;

describe("modernise", () => {
  test.each([
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
    [
      "a prompt",
      request("session/prompt", { sessionId: "s", prompt: [{ type: "text", text: "hi" }] }),
    ],
    [
      "a conforming server",
      request("session/new", {
        cwd: "/p",
        mcpServers: [{ name: "a", command: "x", args: [], env: [] }],
      }),
    ],
    ["no object", "text"],
    ["params that are not an object", request("session/new", 5)],
  ])("leaves %s as it is", (_what, message) => {
    expect(modernise(message)).toEqual(message);
  });

  test("renames seed 004's authMethodId", () => {
    expect(modern("authenticate", { authMethodId: "a" })).toEqual({ methodId: "a" });
    expect(modern("authenticate", { authMethodId: "a", methodId: "b" })).toEqual({
      authMethodId: "a",
      methodId: "b",
    });
  });

  test("takes the seeds' forms of MCP servers", () => {
    const mcpServers = [
      { name: "local", type: "local", command: ["npx", "-y", "server"], environment: { KEY: "v" } },
      { name: "bare", command: "server" },
      { name: "remote", type: "remote", url: "https://example.com/mcp", headers: { A: "b" } },
      { name: "events", type: "sse", url: "https://example.com/sse" },
    ];
    expect(modern("session/new", { cwd: "/p", mcpServers })).toEqual({
      cwd: "/p",
      mcpServers: [
        {
          name: "local",
          command: "npx",
          args: ["-y", "server"],
          env: [{ name: "KEY", value: "v" }],
          environment: { KEY: "v" },
        },
        { name: "bare", command: "server", args: [], env: [] },
        {
          name: "remote",
          type: "http",
          url: "https://example.com/mcp",
          headers: [{ name: "A", value: "b" }],
        },
        { name: "events", type: "sse", url: "https://example.com/sse", headers: [] },
      ],
    });
  });

  test("adds an empty list of servers", () => {
    expect(modern("session/load", { sessionId: "s", cwd: "/p" })).toMatchObject({ mcpServers: [] });
    expect(modern("session/new", { cwd: "/p", mcpServers: null })).toMatchObject({
      mcpServers: [],
    });
  });

  test("leaves a server of an unknown type to be refused", () => {
    const mcpServers = [{ name: "x", type: "carrier-pigeon", command: "coo" }];
    expect(modern("session/new", { cwd: "/p", mcpServers })).toEqual({ cwd: "/p", mcpServers });
  });

  test("names links, and converts an image that is only a URL to a link", () => {
    const prompt = [
      { type: "resource_link", uri: "file:///p/a.ts" },
      { type: "image", uri: "file:///p/cat.png", mimeType: "image/png" },
    ];
    expect(modern("session/prompt", { sessionId: "s", prompt })).toEqual({
      sessionId: "s",
      prompt: [
        { type: "resource_link", uri: "file:///p/a.ts", name: "a.ts" },
        { type: "resource_link", uri: "file:///p/cat.png", name: "cat.png" },
      ],
    });
  });

  test("converts a cancel with a null id to a notification", () => {
    const cancel = {
      jsonrpc: "2.0",
      id: null,
      method: "session/cancel",
      params: { sessionId: "s" },
    };
    expect(modernise(cancel)).toEqual({
      jsonrpc: "2.0",
      method: "session/cancel",
      params: { sessionId: "s" },
    });
  });
});
