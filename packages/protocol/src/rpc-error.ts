import { errorCodes, errorRow, isErrorCode, type ErrorCode, type LandlineError } from "./errors.ts";

/** As an ACP peer sees it. */
export interface RpcErrorShape {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export function toRpcError(error: LandlineError): RpcErrorShape {
  const { rpc, seed } = errorRow(error.code);
  return {
    code: rpc,
    message: error.message,
    data: {
      ...error.data,
      reason: error.code,
      ...(seed === undefined ? {} : { code: seed }),
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    },
  };
}

/**
 * What a peer's error means to us. A caller that asked for a session by its id says `about: "session"`:
 * only then do words count that could be about something else.
 */
export function fromRpcError(error: RpcErrorShape, about?: "session"): ErrorCode {
  const reason = field(error.data, "reason");
  if (isErrorCode(reason)) return reason;
  return seedCodes.get(error.code) ?? fromText(error, about) ?? fromNumber(error, about);
}

/** Seed 003's numbers that mean nothing else on ACP; its -32000 and -32001 need their words. */
const seedCodes: ReadonlyMap<number, ErrorCode> = new Map(
  errorCodes.flatMap((code): [number, ErrorCode][] => {
    const { seed } = errorRow(code);
    return seed !== undefined && seed > -32000 ? [[seed, code]] : [];
  }),
);

/**
 * A missing session is told by five numbers (-31900 of seed 003, -32001 of seed 001, -32600 of seed 000,
 * -32602 and -32603 of real agents) beside ACP's own -32002, so the words decide. They must say that
 * the session is missing: "invalid params: sessionId is required" is not that.
 */
const sessionMissing =
  /\bsession(?: id)?(?:[ :]+(?=\S*[-_\d"'`])\S+)? (?:was |is )?not found\b|\b(?:no such|unknown) session\b|\bsession does not exist\b/i;
const sessionMissingIfAsked = /\binvalid session id|\bno rollout found for thread\b/i;
const sessionMissingNumbers: ReadonlySet<number> = new Set([
  -32001, -32002, -32600, -32602, -32603,
]);

function fromText(error: RpcErrorShape, about?: "session"): ErrorCode | undefined {
  const text = words(error);
  if (
    sessionMissingNumbers.has(error.code) &&
    (sessionMissing.test(text) || (about === "session" && sessionMissingIfAsked.test(text)))
  )
    return "session-not-found";
  if (error.code === -32001 && /\btime(?:d )?-?out\b/i.test(text)) return "timeout";
  if (error.code === -32000 && /^connection lost\b/i.test(text)) return "connection-lost";
  if (error.code === -32000 && /^server error\b/i.test(text)) return "internal-error";
  return undefined;
}

function fromNumber(error: RpcErrorShape, about?: "session"): ErrorCode {
  switch (error.code) {
    case -32700:
      return "parse-error";
    case -32600:
      return "invalid-request";
    case -32601:
      return "method-not-found";
    case -32602:
      return "invalid-params";
    case -32800:
      return "request-cancelled";
    case -32000:
      return "auth-required";
    case -32002:
      return about === "session" || typeof field(error.data, "sessionId") === "string"
        ? "session-not-found"
        : "file-not-found";
    default:
      return "internal-error";
  }
}

/** What the error says in words, cut short: a peer may put anything there, of any size. */
function words(error: RpcErrorShape): string {
  const details = [
    error.message,
    error.data,
    field(error.data, "details"),
    field(error.data, "message"),
  ];
  return details
    .filter((detail) => typeof detail === "string")
    .map((detail) => detail.slice(0, 1_000))
    .join("\n");
}

function field(data: unknown, name: string): unknown {
  return typeof data === "object" && data !== null && Object.hasOwn(data, name)
    ? (data as Record<string, unknown>)[name]
    : undefined;
}
