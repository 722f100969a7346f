import { randomUUID } from "node:crypto";
import { asLandlineError, type LandlineError } from "@landline/protocol";
import { Hono } from "hono";
import { addAcpRoutes } from "./acp/acp-routes.ts";
import { crossOriginGuard } from "./acp/cross-origin.ts";
import type { Auth } from "./auth.ts";
import {
  socketOf,
  type ServerApp,
  type ServerContext,
  type ServerEnvironment,
  type ServerRequest,
} from "./context.ts";
import { shownTo } from "./hidden-paths.ts";
import { pageHeaders, signInPage } from "./plain-page.ts";
import { notFound, problemResponse } from "./problem.ts";
import { guardedPaths } from "./operations/guarded-paths.ts";
import { addOperationRoutes } from "./operations/http-routes.ts";
import { factsOf, logRequest } from "./request-log.ts";
import { addSecurityHeaders } from "./security-headers.ts";
import type { Services } from "./services.ts";
import { addPageRoutes } from "./static.ts";

/** All HTTP routes. The operation table says which of them need a token. */
export function createApp(context: ServerContext): ServerApp {
  const root = new Hono<ServerEnvironment>();
  root.use(async (request, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    await next();
    addSecurityHeaders(request.res.headers);
    // Lets a bug report name the log line.
    request.res.headers.set("x-request-id", requestId);
    logRequest(context.services.logger, factsOf(request, requestId, startedAt));
  });
  root.use(async (request, next) => {
    context.auth.checkAddress(request.req.raw, socketOf(request));
    await next();
  });
  const app = root.basePath(context.services.address.basePath);
  const { auth } = context;
  for (const { pattern, acceptsCookie } of guardedPaths()) {
    const authenticate: Auth["authenticate"] = (...sent) =>
      acceptsCookie ? auth.authenticateOnce(...sent) : auth.authenticate(...sent);
    app.use(pattern, guardOf(context, authenticate));
  }
  app.use("/acp", crossOriginGuard(context));
  app.use(
    "/acp",
    guardOf(context, (...sent) => auth.authenticate(...sent)),
  );
  addOperationRoutes(app, context);
  addAcpRoutes(app, context);
  addPageRoutes(app, context);
  root.notFound((request) => refuse(notFound(), request, context));
  root.onError((error, request) => refuse(error, request, context));
  return root;
}

/** Checks the token and the rate. The operation's row has the role and scope. */
function guardOf({ rates }: ServerContext, authenticate: Auth["authenticate"]) {
  return async (request: ServerRequest, next: () => Promise<void>) => {
    const principal = await authenticate(request.req.raw, socketOf(request));
    request.set("principal", principal);
    rates.takeRequest(principal.tokenId);
    await next();
  };
}

function refuse(
  thrown: Error,
  request: ServerRequest,
  { services, rates }: ServerContext,
): Response {
  const error = shownTo(request.var.principal, asLandlineError(thrown), services);
  request.set("errorCode", error.code);
  if (error.code === "internal-error") {
    services.logger.error("A request failed.", { error: thrown, method: request.req.method });
  }
  const asking = request.var.principal?.tokenId ?? remoteAddress(request);
  const waitMs = rates.takeErrorReply(asking);
  count(error, services);
  if (waitMs === 0) return answerTo(error, request);
  // A client with this many errors gets an empty response.
  const retryAfter = String(Math.ceil(waitMs / 1_000));
  return new Response(null, {
    status: 429,
    headers: { connection: "close", "retry-after": retryAfter },
  });
}

function count({ code, data }: LandlineError, { metrics }: Services): void {
  metrics.errors.add(code);
  if (code === "rate-limited" && typeof data["limit"] === "string") {
    metrics.rateLimited.add(data["limit"]);
  }
}

/** Without a token, a browser gets a page with instructions; all others get the error. */
function answerTo(error: LandlineError, request: ServerRequest): Response {
  const isPerson = request.req.header("accept")?.includes("text/html") ?? false;
  if (error.code !== "unauthorized" || !isPerson) return problemResponse(error);
  return new Response(signInPage(), { status: 401, headers: pageHeaders });
}

function remoteAddress(request: ServerRequest): string {
  return `address ${socketOf(request)?.remoteAddress ?? "unknown"}`;
}
