import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { LandlineError, toProblem } from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import {
  connectionOf,
  type ServerApp,
  type ServerContext,
  type ServerRequest,
} from "../context.ts";
import { bodyText, parsedBody } from "../operations/body.ts";
import { eventStreamHeaders } from "../sse.ts";
import { chosenAgent } from "./agent-choice.ts";
import { crossOriginHeaders } from "./cross-origin.ts";
import { connectionHeaders, connectionIdHeader } from "./connection-headers.ts";
import type { AcpHttpConnection } from "./http-connection.ts";

const ID_LENGTH = 1_024;

/** `/acp` as Streamable HTTP. The upgrade to a WebSocket at the same address is not a route. */
export function addAcpRoutes(app: ServerApp, context: ServerContext): void {
  app.post("/acp", (request) => post(request, context));
  app.get("/acp", (request) => openStream(request, context));
  app.delete("/acp", (request) => end(request, context));
  app.all("/acp", (request) => {
    const response = refused(request, 405, "Use GET, POST or DELETE.");
    response.headers.set("allow", "GET, POST, DELETE, OPTIONS");
    return response;
  });
}

async function post(request: ServerRequest, context: ServerContext): Promise<Response> {
  const type = request.req.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json")
    return refused(request, 415, "The body must be application/json.");
  const { limits } = context.services;
  const { role } = request.var.principal;
  const most = role === "watch" ? limits.watchMessageBytes : limits.lineBytes;
  const text = await bodyText(request, Math.min(most, limits.bodyBytes));
  const value = parsedBody(text, limits.bodyDepth);
  if (Array.isArray(value)) return batchRefused(request);
  if (!isRecord(value)) return refused(request, 400, "The body must be one JSON-RPC message.");
  const hasConnection = request.req.header(connectionIdHeader) !== undefined;
  if (value["method"] === "initialize" && !hasConnection) {
    const { id } = value;
    if (typeof id !== "string" && typeof id !== "number")
      return refused(request, 400, "initialize needs an id: a string or a whole number.");
    return initialize(text, request, context);
  }
  const connection = await findConnection(request, context);
  if (connection instanceof Response) return connection;
  const sessionId = sessionIdOf(request);
  if (sessionId !== null) request.set("sessionId", sessionId);
  const isReceived = await connection.receive({ text, value, sessionId });
  return isReceived ? new Response(null, { status: 202 }) : unknownConnection(request);
}

async function initialize(
  text: string,
  request: ServerRequest,
  { services, sockets }: ServerContext,
): Promise<Response> {
  const agentId = await chosenAgent(new URL(request.req.url), services);
  const connection = (await sockets.server()).connect(request.var.principal, agentId);
  try {
    const response = await connection.initialize(text, request.req.raw.signal);
    // A connection that could not be initialized is of no use.
    if ("error" in (JSON.parse(response) as object)) connection.close();
    const headers = connectionHeaders(connection.id, services.address.basePath);
    return new Response(response, { headers: { "content-type": "application/json", ...headers } });
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function openStream(request: ServerRequest, context: ServerContext): Promise<Response> {
  if (!request.req.header("accept")?.toLowerCase().includes("text/event-stream"))
    return refused(request, 406, "The response is text/event-stream, which Accept must include.");
  const connection = await findConnection(request, context);
  if (connection instanceof Response) return connection;
  const sessionId = sessionIdOf(request);
  if (sessionId !== null) request.set("sessionId", sessionId);
  const { outgoing } = connectionOf(request);
  if (!outgoing || request.req.raw.method === "HEAD")
    return new Response(null, { headers: eventStreamHeaders });
  const lastEventId = request.req.header("last-event-id");
  const headers = { ...eventStreamHeaders, ...crossOriginHeaders(request, context) };
  if (connection.open(sessionId, outgoing, headers, lastEventId || undefined))
    return RESPONSE_ALREADY_SENT;
  return refused(
    request,
    409,
    sessionId === null
      ? "The messages after this Last-Event-ID are not kept any more. Initialize a new connection."
      : "The messages after this Last-Event-ID are not kept any more. Send session/resume with _meta acp/cursor, or session/load.",
  );
}

async function end(request: ServerRequest, context: ServerContext): Promise<Response> {
  const connection = await findConnection(request, context);
  if (connection instanceof Response) return connection;
  connection.close();
  await connection.ended;
  return new Response(null, { status: 202 });
}

async function findConnection(
  request: ServerRequest,
  { sockets }: ServerContext,
): Promise<AcpHttpConnection | Response> {
  const id = request.req.header(connectionIdHeader);
  if (id === undefined) return refused(request, 400, "The header Acp-Connection-Id is missing.");
  const found = (await sockets.server()).find(id, request.var.principal);
  return found ?? unknownConnection(request);
}

function unknownConnection(request: ServerRequest): Response {
  return refused(
    request,
    404,
    "There is no connection with this Acp-Connection-Id. Initialize a new one.",
  );
}

function sessionIdOf(request: ServerRequest): string | null {
  const id = request.req.header("acp-session-id");
  if (id === undefined || id === "") return null;
  if (id.length <= ID_LENGTH) return id;
  throw new LandlineError("invalid-request", { message: "The Acp-Session-Id is too long." });
}

function batchRefused(request: ServerRequest): Response {
  request.set("errorCode", "invalid-request");
  const error = { code: -32600, message: "ACP has no batches: send one message per request." };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 501 });
}

/** The statuses of the transport, which errors in general do not have. */
function refused(request: ServerRequest, status: number, message: string): Response {
  request.set("errorCode", "invalid-request");
  return Response.json(toProblem(new LandlineError("invalid-request", { message })), { status });
}
