import { errorMessage } from "@landline/system/error-message";
import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/client";
import { ToolFailure, type ToolContext } from "../tools/tool.ts";
import { ServerUnavailable, type Connection } from "./connection.ts";
import { mask } from "./server-environment.ts";

/** Maximum duration of a call. Then it fails (`tool-timeout`). */
const callTotalMs = 3_600_000;

/** Calls a tool with a timeout and progress. Failures have the reasons of seed 003. */
export async function callTool(
  connection: Connection,
  tool: McpTool,
  input: Record<string, unknown>,
  context: Pick<ToolContext, "signal" | "progress">,
): Promise<CallToolResult> {
  return withTimeout(
    connection,
    `${connection.name}: ${tool.name}`,
    context.signal,
    (signal, touch) =>
      connection.use(signal, (client) =>
        client.callTool(
          { name: tool.name, arguments: input },
          {
            signal,
            timeout: callTotalMs,
            onprogress: ({ progress, total, message }) => {
              touch();
              context.progress({ title: progressWords(tool, progress, total, message) });
            },
          },
        ),
      ),
  );
}

function progressWords(tool: McpTool, progress: number, total?: number, message?: string): string {
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${tool.title ?? tool.name}: ${message ?? share}`;
}

/** Runs a request and aborts it after `callMs` without a call of `touch`. */
export async function withTimeout<Value>(
  connection: Connection,
  what: string,
  signal: AbortSignal,
  work: (signal: AbortSignal, touch: () => void) => Promise<Value>,
): Promise<Value> {
  const limit = new AbortController();
  const late = (): void => {
    // The timeout does not run while the user is asked.
    if (connection.isAsking) timer.refresh();
    else limit.abort();
  };
  const timer = setTimeout(late, connection.callMs);
  try {
    return await work(AbortSignal.any([signal, limit.signal]), () => void timer.refresh());
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) {
      throw new ToolFailure(
        "tool-timeout",
        `${what} did not answer within ${connection.callMs / 1_000} s. Try a smaller step.`,
      );
    }
    throw await toFailure(error, connection, what);
  } finally {
    clearTimeout(timer);
  }
}

async function toFailure(
  error: unknown,
  connection: Connection,
  what: string,
): Promise<ToolFailure> {
  if (error instanceof ServerUnavailable) {
    return new ToolFailure(
      "mcp-server-unavailable",
      `The MCP server "${connection.name}" is not available. ${error.message}`,
    );
  }
  const { isTimeout, isUnreachable } = await import("./connection-failure.ts");
  const secrets = "type" in connection.server ? connection.server.headers : connection.server.env;
  const words = mask(errorMessage(error), secrets);
  if (isTimeout(error))
    return new ToolFailure("tool-timeout", `${what} took too long. Try a smaller step.`);
  if (isUnreachable(error)) {
    const again = "The call may or may not have had its effect: check before you repeat it.";
    return new ToolFailure(
      "mcp-server-unavailable",
      `The MCP server "${connection.name}" was lost during the call (${words}). ${again}`,
    );
  }
  return new ToolFailure("mcp-server-error", `${what} failed: ${words}`);
}
