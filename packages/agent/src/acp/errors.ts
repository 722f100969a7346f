import { errorMessage } from "@landline/system/error-message";
import { RequestError, type AuthMethod } from "@agentclientprotocol/sdk/unstable";
import { SessionProblem } from "../core/session-problem.ts";
import { ModelProblem } from "../model/model.ts";
import { StoreProblem } from "../session/store.ts";
import { ToolFailure } from "../tools/tool.ts";

/** The error codes that seed 003 assigns to reasons, sent as `data.code`. */
const seedCodes: Record<string, number> = {
  "session-not-found": -31900,
  "session-expired": -31901,
  "session-locked": -31902,
  "tool-not-found": -31800,
  "tool-disabled": -31801,
  "tool-timeout": -31802,
  "mcp-server-error": -31600,
  "mcp-server-unavailable": -31601,
};

const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const AUTH_REQUIRED = -32000;

interface ErrorContext {
  sessionId?: string | undefined;
  /** Sent if the failure is a missing sign-in. */
  authMethods?: AuthMethod[];
}

/** The JSON-RPC error for a failure: code, message with a suggested action, and reason. */
export function toRequestError(error: unknown, context: ErrorContext = {}): RequestError {
  if (error instanceof RequestError) return error;
  const { sessionId, authMethods } = context;
  const about = sessionId === undefined ? {} : { sessionId };
  if (error instanceof SessionProblem || error instanceof StoreProblem) {
    const code = error.reason === "session-not-found" ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
    const isOurs = error.reason === "broken" || error.reason === "not-written";
    return failure(isOurs ? INTERNAL_ERROR : code, error.message, error.reason, about);
  }
  if (error instanceof ModelProblem) {
    const code = error.reason === "sign-in-needed" ? AUTH_REQUIRED : INTERNAL_ERROR;
    const { retryAfterMs } = error;
    const later = retryAfterMs === undefined ? {} : { retryAfterMs };
    const ways = code === AUTH_REQUIRED && authMethods ? { authMethods } : {};
    return failure(code, error.message, error.reason, { ...about, ...later, ...ways });
  }
  // Thrown by a slash command that needs a tool or an MCP server.
  if (error instanceof ToolFailure) {
    const isTheirs = error.reason === "tool-not-found" || error.reason === "tool-disabled";
    const code = isTheirs ? INVALID_PARAMS : INTERNAL_ERROR;
    return failure(code, error.message, error.reason, about);
  }
  const message = errorMessage(error);
  return failure(INTERNAL_ERROR, message, "failed", about);
}

export function invalidParams(message: string, reason: string): RequestError {
  return failure(INVALID_PARAMS, message, reason, {});
}

function failure(
  code: number,
  message: string,
  reason: string,
  more: Record<string, unknown>,
): RequestError {
  const number = seedCodes[reason];
  return new RequestError(code, message, {
    reason,
    ...(number !== undefined && { code: number }),
    ...more,
  });
}
