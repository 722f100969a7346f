import { isRecord, LandlineError, type ErrorCode } from "@landline/protocol";
import { problemOf, waitOf } from "./problem.ts";

/** The error for a request without a response. */
export function unreachableError(cause: unknown): LandlineError {
  return new LandlineError("connection-lost", {
    message: "The gateway can't be reached.",
    help: "Check that it is running and that the network is up.",
    data: unreachable,
    cause,
  });
}

/** Distinguishes a network failure from an error of the gateway. */
const unreachable = { unreachable: true } as const;

const codesOfStatus: Readonly<Record<number, ErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "method-not-found",
  413: "message-too-large",
  429: "rate-limited",
  502: "connection-lost",
  503: "connection-lost",
  504: "connection-lost",
};

export async function refusalOf(response: Response): Promise<LandlineError> {
  const code = codesOfStatus[response.status] ?? "internal-error";
  const text = await response.text().catch(() => "");
  try {
    const problem: unknown = JSON.parse(text);
    if (isRecord(problem) && typeof problem["code"] === "string") return problemOf(problem, code);
  } catch {
    // The response is from a proxy or has no body, so use the status.
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new LandlineError(code, {
    ...(code === "internal-error"
      ? { message: `The gateway answered with status ${response.status}.` }
      : {}),
    ...waitOf(seconds * 1_000),
    data: { status: response.status },
  });
}
