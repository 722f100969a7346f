import {
  isRecord,
  isErrorCode,
  LandlineError,
  toProblem,
  type ErrorCode,
  type ProblemShape,
} from "@landline/protocol";

/** Parses an error of the gateway, from WebSocket or HTTP. A malformed one becomes an `otherwise` error. */
export function problemOf(value: unknown, otherwise: ErrorCode = "internal-error"): LandlineError {
  if (!isRecord(value)) return unreadable(otherwise);
  const { code, message, help, retryAfterMs, ...data } = value;
  if (!isErrorCode(code)) {
    return typeof code === "string"
      ? new LandlineError(otherwise, {
          message:
            typeof message === "string" ? message : `The gateway returned the error ${code}.`,
          ...(typeof help === "string" ? { help } : {}),
          data: { ...data, code },
        })
      : unreadable(otherwise);
  }
  return new LandlineError(code, {
    ...(typeof message === "string" ? { message } : {}),
    ...(typeof help === "string" ? { help } : {}),
    ...waitOf(retryAfterMs),
    data,
  });
}

/** The maximum of `setTimeout`. A longer delay would run immediately. */
export const longestMs = 2 ** 31 - 1;

/** Validates `retryAfterMs` of a response. */
export function waitOf(retryAfterMs: unknown): { readonly retryAfterMs?: number } {
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return {};
  return { retryAfterMs: Math.min(retryAfterMs, longestMs) };
}

function unreadable(code: ErrorCode): LandlineError {
  return code === "internal-error"
    ? new LandlineError(code, {
        message: "The gateway sent an invalid response.",
        help: "Reload the page: its version may not match the gateway's.",
      })
    : new LandlineError(code);
}

/** Converts a local failure to the form of a gateway error. */
export function asProblem(error: unknown): { readonly error: ProblemShape } {
  return {
    error: toProblem(
      error instanceof LandlineError
        ? error
        : new LandlineError("internal-error", { cause: error }),
    ),
  };
}
