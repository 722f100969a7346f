import {
  isRecord,
  isErrorCode,
  LandlineError,
  toProblem,
  type ErrorCode,
  type ProblemShape,
} from "@landline/protocol";

/** An error as the gateway says it, over WebSocket and HTTP. What is no such error becomes one that says so. */
export function problemOf(value: unknown, otherwise: ErrorCode = "internal-error"): LandlineError {
  if (!isRecord(value)) return unreadable(otherwise);
  const { code, message, help, retryAfterMs, ...data } = value;
  if (!isErrorCode(code)) {
    return typeof code === "string"
      ? new LandlineError(otherwise, {
          message: typeof message === "string" ? message : `The gateway says ${code}.`,
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

/** Timers count no further, and a wait that is longer would be none at all. */
export const longestMs = 2 ** 31 - 1;

/** How long to wait, as whoever answered says it. */
export function waitOf(retryAfterMs: unknown): { readonly retryAfterMs?: number } {
  if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return {};
  return { retryAfterMs: Math.min(retryAfterMs, longestMs) };
}

function unreadable(code: ErrorCode): LandlineError {
  return code === "internal-error"
    ? new LandlineError(code, {
        message: "The gateway answered with something that can't be read.",
        help: "Check that its version fits this page's; reload the page.",
      })
    : new LandlineError(code);
}

/** As the gateway would say it: for what fails on this side of a wire. */
export function asProblem(error: unknown): { readonly error: ProblemShape } {
  return {
    error: toProblem(
      error instanceof LandlineError
        ? error
        : new LandlineError("internal-error", { cause: error }),
    ),
  };
}
