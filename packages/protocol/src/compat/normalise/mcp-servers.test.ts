import { describe, expect, test } from "vitest";
import type { LandlineError } from "../../errors.ts";
import { normaliseMcpServers } from "./mcp-servers.ts";

function normalised(server: unknown): unknown {
  const params = normaliseMcpServers({ mcpServers: [server] }, "required");
  return (params["mcpServers"] as unknown[])[0];
}

describe("servers", () => {
  test.each([
    [
      { name: "a", type: "local", command: ["npx", "-y", "server"], args: ["--flag"] },
      { name: "a", command: "npx", args: ["-y", "server", "--flag"], env: [] },
    ],
    [
      { name: "a", type: "local", command: "npx", args: null, env: { KEY: "1" } },
      { name: "a", command: "npx", args: [], env: [{ name: "KEY", value: "1" }] },
    ],
    [
      { name: "a", type: "stdio", command: "npx", env: null },
      { name: "a", type: "stdio", command: "npx", args: [], env: [] },
    ],
    [
      { name: "a", type: "remote", url: "https://x.example", headers: { Key: "1" } },
      {
        name: "a",
        type: "http",
        url: "https://x.example",
        headers: [{ name: "Key", value: "1" }],
      },
    ],
    [
      { name: "a", type: "sse", url: "https://x.example" },
      { name: "a", type: "sse", url: "https://x.example", headers: [] },
    ],
  ])("%j", (server, real) => {
    expect(normalised(server)).toEqual(real);
  });

  test.each([
    { type: "acp", name: "a", serverId: "1" },
    { type: "anything", name: "a", command: "npx", args: [], env: [] },
    { name: "a", url: "https://x.example" },
    { name: "a", command: "npx", args: [], env: { KEY: 1 } },
    "npx",
    null,
  ])("%j stays", (server) => {
    expect(normalised(server)).toBe(server);
  });

  test.each([
    { name: "a", type: "carrier-pigeon", url: "coop" },
    { name: "a", type: 7 },
    { name: "a", type: "local", command: [] },
    { name: "a", command: [["npx"]] },
  ])("%j is refused", (server) => {
    expect(() => normalised(server)).toThrow(
      expect.objectContaining({ code: "invalid-params" }) as LandlineError,
    );
  });
});

test("a required list may be missing; an optional list stays missing", () => {
  const params = { cwd: "/" };
  expect(normaliseMcpServers(params, "required")).toEqual({ cwd: "/", mcpServers: [] });
  expect(normaliseMcpServers({ cwd: "/", mcpServers: null }, "optional")).toEqual({
    cwd: "/",
    mcpServers: [],
  });
  expect(normaliseMcpServers(params, "optional")).toBe(params);
});
