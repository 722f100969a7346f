import { errorMessage } from "@landline/system/error-message";
import type { McpServer } from "@agentclientprotocol/sdk";
import { SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { ConnectFailure } from "./connect.ts";
import { mask } from "./server-environment.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** What is wrong with a server and what to do, with the values of its variables and headers masked. */
export function describeFailure(error: unknown, server: McpServer, limitMs: number): string {
  const cause = error instanceof ConnectFailure ? error.cause : error;
  const transport = error instanceof ConnectFailure ? error.transport : null;
  const words =
    "type" in server
      ? describeRemote(cause, server.url, limitMs)
      : describeProgram(cause, server.command, transport, limitMs);
  return mask(words, "type" in server ? server.headers : server.env);
}

function describeProgram(
  cause: unknown,
  command: string,
  transport: unknown,
  limitMs: number,
): string {
  const code = codeOf(cause);
  if (code === "ENOENT")
    return `The program "${command}" was not found. Install it, or correct \`command\`.`;
  if (code === "EACCES") return `The program "${command}" may not be run. Check its permissions.`;
  const { exit, printed } =
    transport instanceof StdioTransport ? transport : { exit: null, printed: "" };
  const tail = printed === "" ? "" : ` It printed: ${printed}`;
  if (exit !== null && !isTimeout(cause)) {
    return `The program ended (${exit}) before it answered. Try to run it by hand.${tail}`;
  }
  if (isTimeout(cause))
    return `It did not answer within ${limitMs / 1_000} s. Raise its \`timeout\`, or try to run it by hand.${tail}`;
  return `${errorMessage(cause)}${tail}`;
}

function describeRemote(cause: unknown, url: string, limitMs: number): string {
  if (!URL.canParse(url)) return `"${url}" is not a valid URL. Correct \`url\`.`;
  const { origin } = new URL(url);
  const status = statusOf(cause);
  if (status === 401 || status === 403) {
    return `${origin} refused the connection (HTTP ${status}). Give it a valid \`Authorization\` in \`headers\`.`;
  }
  if (status === 404 || status === 405)
    return `There is no MCP server at this address of ${origin} (HTTP ${status}). Correct \`url\`.`;
  if (status !== undefined)
    return `${origin} answered HTTP ${status}. Try again later, or look into the server's log.`;
  if (isTimeout(cause))
    return `${origin} did not answer within ${limitMs / 1_000} s. Raise its \`timeout\`, or check the address.`;
  if (isUnreachable(cause))
    return `${origin} can't be reached (${codeOf(cause)}). Start the server, or correct \`url\`.`;
  return `${origin}: ${errorMessage(cause)}`;
}

export function isTimeout(cause: unknown): boolean {
  if (cause instanceof SdkError) return cause.code === SdkErrorCode.RequestTimeout;
  return cause instanceof DOMException && cause.name === "TimeoutError";
}

/** True when the server never received the request, so that it may be repeated. */
export function wasNotReceived(cause: unknown): boolean {
  const status = statusOf(cause);
  return status === 400 || status === 404 || status === 410 || codeOf(cause) === "ECONNREFUSED";
}

/** True when the connection failed, rather than the request. */
export function isUnreachable(cause: unknown): boolean {
  if (cause instanceof SdkError) {
    return (
      cause instanceof SdkHttpError ||
      cause.code === SdkErrorCode.ConnectionClosed ||
      cause.code === SdkErrorCode.NotConnected ||
      cause.code === SdkErrorCode.SendFailed
    );
  }
  return cause instanceof SseError || codeOf(cause) !== undefined || cause instanceof TypeError;
}

function statusOf(cause: unknown): number | undefined {
  if (cause instanceof SdkHttpError) return cause.status;
  return cause instanceof SseError ? cause.code : undefined;
}

/** The system error code, which `fetch` puts into the cause. */
function codeOf(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === "string" && /^E[A-Z]+$/.test(code)) return code;
  }
  return undefined;
}
