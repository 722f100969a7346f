import type { CreateElicitationRequest } from "@agentclientprotocol/sdk";
import { isRecord, LandlineError } from "@landline/protocol";

/** Throws `invalid-params` for a question that cannot be answered, or has an unsafe URL. */
export function checkQuestionRequest(request: CreateElicitationRequest): void {
  const problem = problemOf(request);
  if (problem !== null)
    throw new LandlineError("invalid-params", {
      message: `The question can't be asked: ${problem}.`,
    });
}

function problemOf(request: CreateElicitationRequest): string | null {
  switch (request.mode) {
    case "form":
      return isRecord(request["requestedSchema"]) ? null : "requestedSchema must be an object";
    case "url":
      return typeof request["elicitationId"] === "string"
        ? urlProblem(request["url"])
        : "elicitationId must be a string";
    default:
      return 'mode must be "form" or "url"';
  }
}

/** A page would execute `javascript:`, and show `data:` as its own content. */
function urlProblem(url: unknown): string | null {
  const protocol = typeof url === "string" ? URL.parse(url)?.protocol : undefined;
  return protocol === "https:" || protocol === "http:"
    ? null
    : "url must be an http or https address";
}
