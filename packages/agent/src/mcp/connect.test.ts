import {
  createChangingServer,
  createLibraryServer,
  createToolServer,
  startHttpMcpServer,
  startSseMcpServer,
} from "@landline/testing/mcp-servers";
import { expect, it } from "vitest";
import { toolContext } from "../../test/config/tool-context.ts";
import { call, open, remote } from "../../test/mcp/servers.ts";

it("speaks Streamable HTTP, with the configured headers", async () => {
  await using server = await startHttpMcpServer(createToolServer, {
    authorization: "Bearer let-me-in",
  });
  const headers = [{ name: "Authorization", value: "Bearer let-me-in" }];
  await using servers = open([{ ...remote(server.url), headers }, remote(server.url)]);
  await servers.ready();
  expect(servers.status()).toMatchObject([
    { name: "remote", state: "ready" },
    {
      name: "remote-2",
      state: "failed",
      problem: expect.stringContaining("refused the connection (HTTP 401)"),
    },
  ]);
  await expect(call(servers, "remote_echo", { text: "over http" })).resolves.toMatchObject({
    output: "over http",
  });
  const context = toolContext();
  await call(servers, "remote_steps", {}, context);
  expect(context.shown).toHaveLength(2);
  await servers.close();
  expect(server.requests.map((request) => request.method)).toContain("DELETE");
});

it("receives list changes over HTTP", async () => {
  await using server = await startHttpMcpServer(createChangingServer);
  await using servers = open([remote(server.url)]);
  await servers.ready();
  await expect.poll(() => server.requests.map((request) => request.method)).toContain("GET");
  await call(servers, "remote_grow");
  await expect.poll(() => servers.tools()).toHaveLength(2);
});

it("reconnects to an HTTP server that was restarted, and reports when it is gone", async () => {
  const first = await startHttpMcpServer(createLibraryServer);
  await using servers = open([remote(first.url)]);
  await servers.ready();
  await first[Symbol.asyncDispose]();
  const read = () => call(servers, "read_mcp_resource", { server: "remote", uri: "book://1" });
  await expect(read()).rejects.toMatchObject({ reason: "mcp-server-unavailable" });
  await using _second = await startHttpMcpServer(createLibraryServer, { port: first.port });
  await expect(read()).resolves.toMatchObject({ output: expect.stringContaining("Chapter one.") });
});

it.each(["sse", "http"] as const)(
  "speaks the older SSE to a server that is configured as %s",
  async (type) => {
    await using server = await startSseMcpServer(createToolServer);
    await using servers = open([remote(server.url, type)]);
    await servers.ready();
    expect(servers.status()).toMatchObject([{ state: "ready" }]);
    await expect(call(servers, "remote_echo", { text: "over sse" })).resolves.toMatchObject({
      output: "over sse",
    });
  },
);

it("reconnects to an SSE server that was restarted", async () => {
  const first = await startSseMcpServer(createToolServer);
  await using servers = open([remote(first.url, "sse")]);
  await servers.ready();
  const waiting = call(servers, "remote_wait");
  const lost = waiting.catch((error: unknown) => error);
  await expect.poll(() => first.requests.length).toBeGreaterThan(3);
  await first[Symbol.asyncDispose]();
  await expect(lost).resolves.toMatchObject({ reason: "mcp-server-unavailable" });
  await using _second = await startSseMcpServer(createToolServer, first.port);
  await expect(call(servers, "remote_echo", { text: "again" })).resolves.toMatchObject({
    output: "again",
  });
});
