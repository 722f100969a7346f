import type { ErrorReply } from "./provider.ts";
import type { Problem } from "./reply.ts";

const wordsByStatus: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: ["UNAUTHENTICATED", "Request had invalid authentication credentials."],
  403: ["PERMISSION_DENIED", "The caller does not have permission."],
  404: ["NOT_FOUND", "The model is not found for API version v1beta."],
  413: ["INVALID_ARGUMENT", "Request payload size exceeds the limit."],
  429: ["RESOURCE_EXHAUSTED", "You exceeded your current quota."],
  503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
  504: ["DEADLINE_EXCEEDED", "The request timed out."],
  529: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
};

export function geminiError(problem: Problem): ErrorReply {
  const [status, message] = wordsByStatus[problem.status] ?? ["INTERNAL", "An error has occurred."];
  const { retryAfterSeconds } = problem;
  return {
    body: {
      error: {
        // 529 is a status of another provider. This service uses 503.
        code: problem.status === 529 ? 503 : problem.status,
        message: problem.message ?? message,
        status: problem.type ?? status,
        ...(retryAfterSeconds === undefined
          ? {}
          : {
              details: [
                {
                  "@type": "type.googleapis.com/google.rpc.RetryInfo",
                  retryDelay: `${retryAfterSeconds}s`,
                },
              ],
            }),
      },
    },
    headers: {},
  };
}
