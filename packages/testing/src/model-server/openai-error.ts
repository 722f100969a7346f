import type { ErrorReply } from "./provider.ts";
import type { Problem } from "./reply.ts";

interface OpenaiWords {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

const wordsByStatus: Readonly<Record<number, OpenaiWords>> = {
  400: { type: "invalid_request_error", code: null, message: "The request is not valid." },
  401: {
    type: "invalid_request_error",
    code: "invalid_api_key",
    message: "Incorrect API key provided.",
  },
  403: { type: "invalid_request_error", code: "forbidden", message: "You have no access to this." },
  404: {
    type: "invalid_request_error",
    code: "model_not_found",
    message: "The model does not exist or you do not have access to it.",
  },
  413: { type: "invalid_request_error", code: null, message: "The request is too large." },
  429: { type: "requests", code: "rate_limit_exceeded", message: "Rate limit reached." },
  503: { type: "server_error", code: null, message: "The server is overloaded." },
  529: { type: "server_error", code: null, message: "The server is overloaded." },
};

const otherWords: OpenaiWords = {
  type: "server_error",
  code: null,
  message: "The server had an error while processing your request.",
};

export function openaiWords(problem: Problem): OpenaiWords {
  const words = wordsByStatus[problem.status] ?? otherWords;
  // A bad request is identified by its code (`context_length_exceeded`), other errors by code and type.
  const type = problem.status === 400 ? words.type : (problem.type ?? words.type);
  return {
    type,
    code: problem.type ?? words.code,
    message: problem.message ?? words.message,
  };
}

export function openaiError(problem: Problem): ErrorReply {
  const { type, code, message } = openaiWords(problem);
  return { body: { error: { message, type, param: null, code } }, headers: {} };
}
