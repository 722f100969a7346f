import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";

/** How questions of servers reach the person. Without it, servers are told that there is nobody to ask. */
export interface McpElicitation {
  /** What the client at the other end can show. */
  capabilities: { form?: Record<string, never>; url?: Record<string, never> };
  ask(request: McpQuestion, signal: AbortSignal): Promise<ElicitResult>;
}

export interface McpQuestion {
  server: string;
  params: ElicitRequestParams;
}
