import { errorCodes, errorRow, isErrorCode, type ErrorCode, type LandlineError } from "./errors.ts";

/** A JSON-RPC error object. */
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

/** Like `toRpcError`, with the number of seed 003 as the code where it has one. */
export function toSeedError(error: LandlineError): RpcErrorShape {
  const shape = toRpcError(error);
  return { ...shape, code: errorRow(error.code).seed ?? shape.code };
}

/**
 * Maps a peer's error to an error code. A caller that requested a session by id passes `about: "session"`; only then
 * are ambiguous messages interpreted.
 */
export function fromRpcError(error: RpcErrorShape, about?: "session"): ErrorCode {
  const reason = field(error.data, "reason");
  if (isErrorCode(reason)) return reason;
  return seedCodes.get(error.code) ?? fromText(error, about) ?? fromNumber(error, about);
}

/** Codes of seed 003 that ACP does not use otherwise. Its -32000 and -32001 need the message. */
const seedCodes: ReadonlyMap<number, ErrorCode> = new Map(
  errorCodes.flatMap((code): [number, ErrorCode][] => {
    const { seed } = errorRow(code);
    return seed !== undefined && seed > -32000 ? [[seed, code]] : [];
  }),
);

/**
 * Peers report a missing session with five codes (-31900 of seed 003, -32001 of seed 001, -32600 of seed 000, -32602
 * and -32603 of real agents) beside ACP's -32002, so the message decides. It must say that the session is missing:
 * "invalid params: sessionId is required" does not.
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

/** The message of the error, cut: a peer may send any size. */
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
