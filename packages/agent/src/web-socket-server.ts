import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { isSameToken } from "@landline/system/first-line-token";
import { Heartbeat } from "@landline/system/heartbeat";
import { isLoopbackUrl } from "@landline/system/loopback";
import { WebSocketLines } from "@landline/system/web-socket-lines";
import { type WebSocket, WebSocketServer } from "ws";
import { connectionLimits } from "./limits.ts";
import type { NetworkServer } from "./serve-network.ts";

/** Between two pings. A client that has not answered the last one is cut off. */
const pingMs = 30_000;
/** Time for the headers of a request. */
const headersMs = 10_000;

/**
 * ACP over WebSocket: one message of JSON-RPC per text message, at any path. The token is in the header
 * `Authorization`, or comes first as on TCP. `accept` gets whether the header had it.
 */
export function webSocketServer(
  token: string | null,
  accept: (stream: Duplex, isTrusted: boolean) => void,
): NetworkServer {
  const http = createServer({ headersTimeout: headersMs }, (_request, response) => {
    response.writeHead(426, { connection: "close", "content-type": "text/plain" });
    response.end("This is an agent that speaks ACP over WebSocket.\n");
  });
  http.maxConnections = 2 * connectionLimits.connections;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: connectionLimits.messageBytes,
  });
  http.on("upgrade", (request, socket, head) => {
    // Without a listener, the error of a client that disconnects would end the process.
    socket.on("error", () => socket.destroy());
    const status = refusalOf(request, token);
    if (status === null)
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        keepAlive(webSocket);
        accept(new WebSocketLines(webSocket), bearerOf(request) !== null && token !== null);
      });
    else socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  });
  return {
    server: http,
    close() {
      http.close();
      http.closeIdleConnections();
    },
  };
}

/** The status of a refusal; null if the client may connect. */
function refusalOf(request: IncomingMessage, token: string | null): string | null {
  const bearer = bearerOf(request);
  if (token !== null)
    return bearer === null || isSameToken(bearer, token) ? null : "401 Unauthorized";
  // Without a token, no web page of another place may connect, under any name of this machine.
  const { host = "", origin } = request.headers;
  return isLoopbackUrl(`http://${host}`) && (origin === undefined || isLoopbackUrl(origin))
    ? null
    : "403 Forbidden";
}

function bearerOf({ headers }: IncomingMessage): string | null {
  return /^Bearer (\S+)$/iu.exec(headers.authorization ?? "")?.[1] ?? null;
}

function keepAlive(webSocket: WebSocket): void {
  const heartbeat = new Heartbeat(webSocket, 1);
  const timer = setInterval(() => heartbeat.beat(), pingMs);
  webSocket.on("close", () => clearInterval(timer));
}
