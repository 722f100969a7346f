import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";

/**
 * Forwards elicitation requests to the user. Without it, servers are told that elicitation is not supported.
 */
export interface McpElicitation {
  /** What the ACP client supports. */
  capabilities: { form?: Record<string, never>; url?: Record<string, never> };
  ask(request: McpQuestion, signal: AbortSignal): Promise<ElicitResult>;
}

export interface McpQuestion {
  server: string;
  params: ElicitRequestParams;
}
