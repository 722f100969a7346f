import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { LandlineError } from "@landline/protocol";
import type { SessionLog } from "../../log/log.ts";
import { connectionOf, type DoorApp, type DoorContext, type DoorRequest } from "../context.ts";
import { pageAfter, pageBefore, pageBytes, waitForEvent } from "../pages.ts";
import { securityHeaders } from "../security-headers.ts";
import type { Dialect } from "../sse.ts";
import { bodyOfPieces } from "./pieces.ts";
import { oneOf, readWholeNumber, wholeNumber } from "./query.ts";
import { sessionOf } from "./session.ts";

const anyNumber = { least: 0, most: Number.MAX_SAFE_INTEGER };
const streamHeaders = {
  ...securityHeaders,
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // Proxies of this family hold a stream back until it is told not to.
  "x-accel-buffering": "no",
};

/** The events of a session: a stream, or pages for whoever asks for JSON. */
export function addEventRoutes(app: DoorApp, context: DoorContext): void {
  app.on("GET", "/api/sessions/:id/events", async (request) => {
    const session = await sessionOf(request, context);
    return wantsPages(request)
      ? page(request, session.log, context)
      : stream(request, session.log, context);
  });
}

function wantsPages(request: DoorRequest): boolean {
  const accept = request.req.header("accept")?.toLowerCase() ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}

function stream(request: DoorRequest, log: SessionLog, { streams }: DoorContext): Response {
  const after = cursorOf(request);
  const dialect: Dialect = oneOf(request, "dialect", ["landline", "codeopen"]) ?? "landline";
  const { outgoing } = connectionOf(request);
  if (request.req.raw.method === "HEAD" || !outgoing) {
    return new Response(null, { headers: streamHeaders });
  }
  const { principal } = request.var;
  streams.open({ log, after, dialect, principal, outgoing, headers: streamHeaders });
  return RESPONSE_ALREADY_SENT;
}

/** What the browser sends when it connects again is newer than the address that it was given. */
function cursorOf(request: DoorRequest): number {
  const last = request.req.header("last-event-id");
  if (last !== undefined && last !== "") return readWholeNumber(last, "Last-Event-ID", anyNumber);
  return wholeNumber(request, "after", anyNumber) ?? 0;
}

async function page(
  request: DoorRequest,
  log: SessionLog,
  { services, closing, views }: DoorContext,
): Promise<Response> {
  const { limits } = services;
  const limit = wholeNumber(request, "limit", { least: 1, most: Number.MAX_SAFE_INTEGER });
  const most = Math.min(limit ?? limits.pageEvents, limits.pageEvents);
  const before = wholeNumber(request, "before", anyNumber);
  const after = wholeNumber(request, "after", anyNumber);
  if (before !== undefined && after !== undefined) {
    throw new LandlineError("invalid-params", { message: "Give after or before, and not both." });
  }
  if (before !== undefined) {
    views.take(request);
    return jsonOf(pageBytes(await pageBefore(log, before, most)));
  }
  const cursor = after ?? 0;
  const waitMs = wholeNumber(request, "wait", anyNumber) ?? 0;
  if (waitMs > 0) {
    const signals = [request.req.raw.signal, closing];
    await waitForEvent(log, cursor, Math.min(waitMs, limits.eventWaitMs), signals);
  }
  // Who waits costs nothing yet.
  views.take(request);
  return jsonOf(pageBytes(await pageAfter(log, cursor, most, limits)));
}

function jsonOf(bytes: Buffer): Response {
  return new Response(bodyOfPieces([bytes]), { headers: { "content-type": "application/json" } });
}
