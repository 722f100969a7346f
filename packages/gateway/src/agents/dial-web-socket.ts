import type { Duplex } from "node:stream";
import type { Limits } from "@landline/protocol";
import { WebSocketLines } from "@landline/system/web-socket-lines";
import { WebSocket } from "ws";
import { timedOut } from "./endpoint.ts";

/** The address and the token of an agent. */
export interface DialTarget {
  readonly url: string;
  readonly token: string | undefined;
  readonly limits: Pick<Limits, "dialMs" | "lineBytes" | "socketQuietMs" | "socketPongsMissed">;
}

/** Connects to an agent that speaks ACP over WebSocket, one message of JSON-RPC per text message. */
export async function dialWebSocket({ url, token, limits }: DialTarget): Promise<Duplex> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const webSocket = new WebSocket(url, {
    headers,
    perMessageDeflate: false,
    maxPayload: limits.lineBytes,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(timedOut()), limits.dialMs);
  webSocket.once("open", resolve);
  webSocket.on("error", reject);
  webSocket.once("unexpected-response", (_request, { statusCode: status }) =>
    reject(Object.assign(new Error("The upgrade was refused."), { status })),
  );
  try {
    await promise;
  } catch (error) {
    webSocket.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  keepAlive(webSocket, limits);
  return new WebSocketLines(webSocket);
}

/** A peer whose machine or network is gone does not close the connection. */
function keepAlive(webSocket: WebSocket, limits: DialTarget["limits"]): void {
  let missed = 0;
  const timer = setInterval(() => {
    if (missed++ >= limits.socketPongsMissed) webSocket.terminate();
    else if (webSocket.readyState === WebSocket.OPEN) webSocket.ping();
  }, limits.socketQuietMs);
  webSocket.on("pong", () => (missed = 0));
  webSocket.once("close", () => clearInterval(timer));
}
