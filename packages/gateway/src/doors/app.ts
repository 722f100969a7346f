import { randomUUID } from "node:crypto";
import type { LandlineError } from "@landline/protocol";
import { Hono } from "hono";
import { addAgentRoutes } from "./api/agents.ts";
import { addAskRoutes } from "./api/asks.ts";
import { addDeviceRoutes } from "./api/devices.ts";
import { addEventRoutes } from "./api/events.ts";
import { addFileRoutes } from "./api/files.ts";
import { addFolderRoute } from "./api/folders.ts";
import { addMeRoute } from "./api/me.ts";
import { addOpenapiRoute } from "./api/openapi.ts";
import { addPromptRoutes } from "./api/prompts.ts";
import { addRecordRoutes } from "./api/records.ts";
import { addRuleRoutes } from "./api/rules.ts";
import { addSessionRoutes } from "./api/sessions.ts";
import { addTerminalRoutes } from "./api/terminals.ts";
import { addTraceRoute } from "./api/trace.ts";
import { requireControl } from "./auth.ts";
import {
  connectionOf,
  type DoorApp,
  type DoorContext,
  type DoorEnvironment,
  type DoorRequest,
} from "./context.ts";
import { pageHeaders, signInPage } from "./plain-page.ts";
import { asLandlineError, nothingHere, problemResponse } from "./problem.ts";
import { factsOf, logRequest } from "./request-log.ts";
import { addSecurityHeaders } from "./security-headers.ts";
import type { Services } from "./services.ts";
import { addPageRoutes } from "./static.ts";

/** Every address of the HTTP door. Nothing below `/api` and `/metrics` is reached without a token. */
export function createApp(context: DoorContext): DoorApp {
  const root = new Hono<DoorEnvironment>();
  root.use(async (request, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    await next();
    addSecurityHeaders(request.res.headers);
    // So that whoever reports a failure can name its line.
    request.res.headers.set("x-request-id", requestId);
    logRequest(context.services.logger, factsOf(request, requestId, startedAt));
  });
  root.use(async (request, next) => {
    context.auth.checkAddress(request.req.raw);
    await next();
  });
  const app = root.basePath(context.services.address.basePath);
  const guard = guardOf(context);
  app.use("/api/*", guard);
  app.use("/metrics", guard);
  addAgentRoutes(app, context);
  addTerminalRoutes(app, context);
  addSessionRoutes(app, context);
  addEventRoutes(app, context);
  addPromptRoutes(app, context);
  addAskRoutes(app, context);
  addRecordRoutes(app, context);
  addRuleRoutes(app, context);
  addFileRoutes(app, context);
  addMeRoute(app, context);
  addFolderRoute(app, context);
  addDeviceRoutes(app, context);
  addTraceRoute(app, context);
  addOpenapiRoute(app, context);
  addPageRoutes(app, context, context.pages);
  root.notFound((request) => refuse(nothingHere(), request, context));
  root.onError((error, request) => refuse(error, request, context));
  return root;
}

/** Token, rate and role, in this order. */
function guardOf({ auth, rates }: DoorContext) {
  return async (request: DoorRequest, next: () => Promise<void>) => {
    const principal = auth.authenticate(request.req.raw);
    request.set("principal", principal);
    rates.takeRequest(principal.tokenId);
    const { method } = request.req.raw;
    if (method !== "GET" && method !== "HEAD") requireControl(principal);
    await next();
  };
}

function refuse(thrown: Error, request: DoorRequest, { services, rates }: DoorContext): Response {
  const error = asLandlineError(thrown);
  request.set("errorCode", error.code);
  if (error.code === "internal-error") {
    services.logger.error("a request failed", { error: thrown, method: request.req.method });
  }
  const asking = request.var.principal?.tokenId ?? remoteAddress(request);
  const waitMs = rates.takeErrorReply(asking);
  count(error, services);
  if (waitMs === 0) return answerTo(error, request, services);
  // Whoever makes this many errors gets no more words for them.
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

/** A person gets a page that says what to do; a program gets the error. */
function answerTo(error: LandlineError, request: DoorRequest, { address }: Services): Response {
  const isPerson = request.req.header("accept")?.includes("text/html") ?? false;
  if (error.code !== "unauthorized" || !isPerson) return problemResponse(error);
  // A link on another site brings no strict cookie along; from our own page on it is there.
  const isBroughtHere = request.req.header("sec-fetch-site") === "cross-site";
  const mayRetry = isBroughtHere && request.req.query("again") === undefined;
  return new Response(signInPage(address.basePath, mayRetry), {
    status: 401,
    headers: pageHeaders,
  });
}

function remoteAddress(request: DoorRequest): string {
  return `address ${connectionOf(request).incoming?.socket.remoteAddress ?? "unknown"}`;
}
