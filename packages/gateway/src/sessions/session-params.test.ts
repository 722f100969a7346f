import type { McpServer } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { sessionParams, refusedServers } from "./session-params.ts";

const servers: McpServer[] = [
  { name: "own", command: "own", args: [], env: [] },
  { type: "http", name: "web", url: "https://example.org", headers: [] },
  { type: "sse", name: "old", url: "https://example.org", headers: [] },
];
const facts = { cwd: "/repo", roots: ["/repo", "/more"], mcpServers: servers };

test("an agent receives what its capabilities allow", () => {
  const can = {
    mcpCapabilities: { http: true },
    sessionCapabilities: { additionalDirectories: {} },
  };
  expect(sessionParams(facts, can)).toEqual({
    cwd: "/repo",
    mcpServers: servers.slice(0, 2),
    additionalDirectories: ["/more"],
  });
  expect(refusedServers(facts, can)).toEqual(["old"]);
});

test("an agent without capabilities receives what every agent accepts", () => {
  expect(sessionParams(facts, {})).toEqual({ cwd: "/repo", mcpServers: servers.slice(0, 1) });
  expect(refusedServers(facts, {})).toEqual(["web", "old"]);
});

test("the folder itself is not an additional one", () => {
  const can = { sessionCapabilities: { additionalDirectories: {} } };
  expect(sessionParams({ ...facts, roots: ["/repo"], mcpServers: [] }, can)).toEqual({
    cwd: "/repo",
    mcpServers: [],
  });
});
