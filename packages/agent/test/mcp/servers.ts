import { mcpServerCommand, type McpServerName } from "@landline/testing/mcp-servers";
import type { McpServer } from "@agentclientprotocol/sdk";
import { tmpdir } from "node:os";
import { openMcpServers, type McpOptions, type McpServers } from "../../src/mcp/mcp-servers.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/tools/tool.ts";
import { toolContext } from "../config/tool-context.ts";

type Stdio = Exclude<McpServer, { type: string }>;

/** One of the servers of `@landline/testing` as a program. */
export function program(name: McpServerName, more: Partial<Stdio> = {}): McpServer {
  return { name, ...mcpServerCommand(name), env: [], ...more };
}

export function remote(
  url: string,
  type: "http" | "sse" = "http",
): McpServer & { headers: unknown[] } {
  return { type, name: "remote", url, headers: [] };
}

/** Long timeouts, because a loaded machine starts servers slowly. */
export function open(
  servers: McpServer[],
  options: Partial<McpOptions> = {},
): McpServers & AsyncDisposable {
  const opened = openMcpServers(servers, {
    cwd: tmpdir(),
    limits: { readyMs: 20_000 },
    ...options,
  });
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() };
}

export function toolOf(servers: McpServers, name: string): Tool {
  const tools = servers.tools();
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined)
    throw new Error(`no ${name} in ${tools.map((one) => one.name).join(", ")}`);
  return tool;
}

export function call(
  servers: McpServers,
  name: string,
  input: object = {},
  context: ToolContext = toolContext(),
): Promise<ToolResult> {
  return toolOf(servers, name).run(input, context);
}
