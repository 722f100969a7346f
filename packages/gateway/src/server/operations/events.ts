import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Input } from "@landline/protocol";
import type { VisibleLog } from "../../log/log.ts";
import { connectionOf, type ServerRequest } from "../context.ts";
import { pageAfter, pageBefore, pageBytes, waitForEvent } from "../pages.ts";
import { eventStreamHeaders } from "../sse.ts";
import { type HttpCall, type Implementations, wrongField } from "./operation.ts";
import { streamBody } from "./body-stream.ts";

type Query = Omit<Input<"read-events">, "sessionId">;

/** The events of a session: a stream, or pages of JSON. */
export const eventOperations = {
  "read-events": async ({ sessionId, ...query }, call) => {
    const { log } = await call.findSession(sessionId);
    return wantsPages(call.request) ? page(log, query, call) : stream(log, query, call);
  },
} satisfies Partial<Implementations>;

function wantsPages(request: ServerRequest): boolean {
  const accept = request.req.header("accept")?.toLowerCase() ?? "";
  return accept.includes("application/json") && !accept.includes("text/event-stream");
}

function stream(
  log: VisibleLog,
  { after = 0, dialect = "landline" }: Query,
  { request, context, principal }: HttpCall,
): Response {
  const cursor = lastEventId(request) ?? after;
  const { outgoing } = connectionOf(request);
  if (request.req.raw.method === "HEAD" || !outgoing)
    return new Response(null, { headers: eventStreamHeaders });
  const headers = eventStreamHeaders;
  context.streams.open({ log, after: cursor, dialect, principal, outgoing, headers });
  return RESPONSE_ALREADY_SENT;
}

/** On reconnect, the browser's Last-Event-ID is newer than the cursor in the address. */
function lastEventId(request: ServerRequest): number | null {
  const last = request.req.header("last-event-id");
  if (last === undefined || last === "") return null;
  if (/^\d{1,15}$/.test(last)) return Number(last);
  throw wrongField("Last-Event-ID", "must be a whole number");
}

async function page(
  log: VisibleLog,
  { after: cursor = 0, before, limit, wait = 0 }: Query,
  { services: { limits }, request, context: { closing, views } }: HttpCall,
): Promise<Response> {
  const most = Math.min(limit ?? limits.pageEvents, limits.pageEvents);
  if (before !== undefined) {
    views.take(request);
    return jsonOf(pageBytes(await pageBefore(log, before, most)));
  }
  if (wait > 0) {
    const signals = [request.req.raw.signal, closing];
    await waitForEvent(log, cursor, Math.min(wait, limits.eventWaitMs), signals);
  }
  // A waiting request takes no slot.
  views.take(request);
  return jsonOf(pageBytes(await pageAfter(log, cursor, most, limits)));
}

function jsonOf(bytes: Buffer): Response {
  return new Response(streamBody([bytes]), { headers: { "content-type": "application/json" } });
}
