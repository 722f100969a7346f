import { errorRow, LandlineError, toProblem } from "@landline/protocol";

/** The error as an HTTP response, without stack or parts of the request. */
export function problemResponse(error: LandlineError): Response {
  const retry = error.retryAfterMs;
  return Response.json(toProblem(error), {
    status: errorRow(error.code).http,
    headers: {
      ...(retry === undefined ? {} : { "retry-after": String(Math.ceil(retry / 1_000)) }),
      ...(error.code === "unauthorized" ? { "www-authenticate": "Bearer" } : {}),
    },
  });
}

export function notFound(): LandlineError {
  return new LandlineError("method-not-found", {
    message: "There is nothing at this URL.",
    help: "/api/openapi.json lists the URLs of the API.",
  });
}
