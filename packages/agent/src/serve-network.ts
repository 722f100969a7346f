import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { finishedWithin } from "@landline/system/finished-within";
import {
  isSameToken,
  readFirstLine,
  refuseConnection,
  tokenNeeded,
} from "@landline/system/first-line-token";
import {
  AcceptedConnections,
  authorityOf,
  listenOn,
  type BoundAddress,
} from "@landline/system/listening";
import { isLoopbackHost } from "@landline/system/loopback";
import { terminationSignal } from "@landline/system/termination-signal";
import { createApp } from "./acp/app.ts";
import { messageStream, type MessageStreamOptions } from "./acp/message-stream.ts";
import { createHost, type AgentOptions } from "./agent.ts";
import { connectionLimits } from "./limits.ts";
import { UsageError } from "./usage-error.ts";

export interface NetworkOptions extends BoundAddress {
  readonly transport: "tcp" | "websocket";
  /** On loopback only: every program of this machine may connect. */
  readonly needsToken: boolean;
}

/** A server, and what to do at its end. */
export interface NetworkServer {
  readonly server: Server;
  close(): void;
}

/**
 * Speaks ACP to clients on TCP or WebSocket, each with its own host, which is closed with the connection. Prints the
 * address as one line of JSON. Ends everything on a signal.
 */
export async function serveNetwork(
  options: AgentOptions,
  messages: MessageStreamOptions,
  network: NetworkOptions,
): Promise<number> {
  const token = tokenFor(network, options.environment["LANDLINE_TOKEN"]);
  // Registered first, so that a signal during startup is not lost.
  const stopSignal = terminationSignal();
  const serve = (stream: Duplex) => serveClient(stream, options, messages);
  const connections = new AcceptedConnections(connectionLimits.connections, async (stream) => {
    if (await mayEnter(stream, token)) await serve(stream);
  });
  // These clients have sent the token in a header.
  const trusted = new AcceptedConnections(connectionLimits.connections, serve);
  const accept = (stream: Duplex, isTrusted: boolean) =>
    (isTrusted ? trusted : connections).accept(stream);
  const listener =
    network.transport === "tcp"
      ? tcpServer((stream) => accept(stream, false))
      : (await import("./web-socket-server.ts")).webSocketServer(token, accept);
  const bound = await listenOn(listener.server, network);
  const scheme = network.transport === "tcp" ? "tcp" : "ws";
  const place = { ...bound, url: `${scheme}://${authorityOf(bound)}` };
  process.stdout.write(`${JSON.stringify({ ...place, ...(token !== null && { token }) })}\n`);
  await stopSignal;
  listener.close();
  await finishedWithin(Promise.all([connections.end(), trusted.end()]), connectionLimits.closeMs);
  return 0;
}

/** Null: clients need no token. */
function tokenFor({ host, needsToken }: NetworkOptions, given: string | undefined): string | null {
  if (!needsToken) {
    if (!isLoopbackHost(host))
      throw new UsageError(
        `Without a token, anyone who can reach ${host} could run commands here. --no-token is for 127.0.0.1 only.`,
      );
    process.stderr.write(
      "Warning: without a token, every program and every user of this machine can run commands as you.\n",
    );
    return null;
  }
  if (isLoopbackHost(host)) return given || randomBytes(24).toString("base64url");
  if (given !== undefined && given.length >= connectionLimits.tokenCharactersMin) return given;
  throw new UsageError(
    `Anyone who can reach ${host} could run commands here. Set LANDLINE_TOKEN to a secret of at least ${connectionLimits.tokenCharactersMin} characters, which clients must give; nothing is encrypted, so use it inside a network that you trust, or keep to 127.0.0.1 behind a tunnel.`,
  );
}

function tcpServer(accept: (stream: Duplex) => void): NetworkServer {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true);
    accept(socket);
  });
  return { server, close: () => void server.close() };
}

/** Refuses and closes the connection of a client without the token. */
async function mayEnter(stream: Duplex, token: string | null): Promise<boolean> {
  const first = await readFirstLine(stream);
  if (token === null) {
    // A web page can make a browser send HTTP to this port, whose body could be ACP.
    if (first?.isMessage === true || typeof first?.token === "string") return true;
    await refuseConnection(stream, null, "The first line must be a message of ACP.", "not-acp");
    return false;
  }
  if (typeof first?.token === "string" && isSameToken(first.token, token)) return true;
  await refuseConnection(stream, first?.id ?? null, tokenNeeded);
  return false;
}

async function serveClient(
  stream: Duplex,
  options: AgentOptions,
  messages: MessageStreamOptions,
): Promise<void> {
  const host = createHost(options);
  const connection = createApp(host).connect(messageStream(stream, stream, messages));
  const gone = once(stream, "close").catch(() => undefined);
  await Promise.race([connection.closed, gone]);
  await finishedWithin(host.close(), connectionLimits.closeMs);
}
