import type { ErrorReply, Ids } from "./provider.ts";
import type { Problem } from "./reply.ts";

const wordsByStatus: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ["invalid_request_error", "The request is not valid."],
  401: ["authentication_error", "invalid x-api-key"],
  402: ["billing_error", "There is an issue with your billing or payment information."],
  403: ["permission_error", "Your API key does not have permission to use this resource."],
  404: ["not_found_error", "The requested resource could not be found."],
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: ["rate_limit_error", "This request would exceed your rate limit."],
  503: ["overloaded_error", "Overloaded"],
  504: ["timeout_error", "The request timed out while processing."],
  529: ["overloaded_error", "Overloaded"],
};

export function anthropicError(problem: Problem, ids: Ids): ErrorReply {
  const [type, message] = wordsByStatus[problem.status] ?? ["api_error", "Internal server error"];
  const requestId = ids("req_01", 22);
  return {
    body: {
      type: "error",
      error: { type: problem.type ?? type, message: problem.message ?? message },
      request_id: requestId,
    },
    headers: { "request-id": requestId },
  };
}
