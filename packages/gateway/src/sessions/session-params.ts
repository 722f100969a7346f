import type { AgentCapabilities, McpServer } from "@agentclientprotocol/sdk";

export interface SessionPlace {
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly mcpServers: readonly McpServer[];
}

/** The params of session/new, load and resume, reduced to what the agent supports. */
export function sessionParams({ cwd, roots, mcpServers }: SessionPlace, can: AgentCapabilities) {
  const more = roots.filter((root) => root !== cwd);
  const isTaken = can.sessionCapabilities?.additionalDirectories && more.length > 0;
  return {
    cwd,
    mcpServers: mcpServers.filter((server) => takes(can, server)),
    ...(isTaken && { additionalDirectories: more }),
  };
}

/** The names of MCP servers whose transport the agent does not support. */
export function refusedServers({ mcpServers }: SessionPlace, can: AgentCapabilities): string[] {
  return mcpServers.filter((server) => !takes(can, server)).map(({ name }) => name);
}

function takes({ mcpCapabilities: can }: AgentCapabilities, server: McpServer): boolean {
  switch ("type" in server ? server.type : "stdio") {
    case "stdio":
      return true;
    case "http":
      return can?.http === true;
    case "sse":
      return can?.sse === true;
    default:
      return false;
  }
}
