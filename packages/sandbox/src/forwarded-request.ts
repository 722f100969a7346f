import { type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";

export interface ForwardedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** A connection to the server, used only for this request. */
  readonly upstream: Socket;
  readonly path: string;
  /** The server's name. The Host header of the request is ignored. */
  readonly host: string;
}

/** Headers of one connection. `expect` was already answered. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Forwards a request, and returns the response to the client. Rejects if either side disconnects. */
export async function forward(forwarded: ForwardedRequest): Promise<void> {
  const { request, response, upstream, path, host } = forwarded;
  const outgoing = send({
    createConnection: () => upstream,
    method: request.method ?? "GET",
    path,
    headers: { ...endToEnd(request), ...bodyHeaders(request), host },
  });
  // A stream may emit more errors after the first, when no listener is left.
  for (const stream of [request, response, outgoing]) stream.on("error", () => {});
  response.once("close", () => outgoing.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    outgoing.once("close", () => reject(new Error("The server did not answer.")));
  });
  // No pipeline: a server may respond and close before it has read the whole request.
  request.pipe(outgoing);
  const incoming = await answered;
  response.sendDate = false;
  response.shouldKeepAlive &&= request.complete;
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, endToEnd(incoming));
  await pipeline(incoming, response);
}

function endToEnd(message: IncomingMessage): Record<string, string[]> {
  const named = (message.headers.connection ?? "").toLowerCase().split(/[\s,]+/);
  const isKept = (name: string) =>
    !hopByHop.has(name) && (name === "content-length" || !named.includes(name));
  return Object.fromEntries(
    Object.entries(message.headersDistinct).flatMap(([name, values]) =>
      values !== undefined && isKept(name) ? [[name, values]] : [],
    ),
  );
}

const bodyless: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "TRACE"]);

/** Without these, Node sends a missing body as chunks, and a chunked body without its end. */
function bodyHeaders({ headers, method = "GET" }: IncomingMessage): Record<string, string> {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) return { "transfer-encoding": coding };
  const isEmpty = headers["content-length"] === undefined && !bodyless.has(method);
  return isEmpty ? { "content-length": "0" } : {};
}
