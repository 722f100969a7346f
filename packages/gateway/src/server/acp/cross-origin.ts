import type { ServerContext, ServerRequest } from "../context.ts";

type CrossOriginContext = Pick<ServerContext, "addresses">;

/** The time for which a browser may remember the answer to a preflight request. */
const MAX_AGE_S = 600;

/** Lets pages of the configured origins use `/acp` from a browser. */
export function crossOriginGuard(context: CrossOriginContext) {
  return async (request: ServerRequest, next: () => Promise<void>) => {
    const headers = crossOriginHeaders(request, context);
    const isPreflight =
      request.req.method === "OPTIONS" &&
      request.req.header("access-control-request-method") !== undefined;
    if (isPreflight && "access-control-allow-origin" in headers)
      return new Response(null, { status: 204, headers: { ...headers, ...preflightHeaders } });
    await next();
    for (const [name, value] of Object.entries(headers)) request.res.headers.set(name, value);
    return undefined;
  };
}

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, accept, last-event-id, acp-connection-id, acp-session-id",
  "access-control-max-age": String(MAX_AGE_S),
};

/**
 * The origin is named, never `*`. Credentials are allowed because clients of ACP send cookies; here a cookie
 * authenticates nobody.
 */
export function crossOriginHeaders(
  request: ServerRequest,
  { addresses }: CrossOriginContext,
): Readonly<Record<string, string>> {
  const origin = request.req.header("origin");
  if (origin === undefined || !addresses.isConfigured(origin)) return { vary: "origin" };
  return {
    vary: "origin",
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": "acp-connection-id, acp-session-id, retry-after",
  };
}
