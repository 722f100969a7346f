import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { LandlineError, messageBytesHeader } from "@landline/protocol";
import { WebSocketServer } from "ws";
import type { Auth, Principal } from "./auth.ts";
import { AcpHttpConnection } from "./acp/http-connection.ts";
import { connectionHeaders } from "./acp/connection-headers.ts";
import { AcpSocket } from "./acp/acp-socket.ts";
import { chosenAgent } from "./acp/agent-choice.ts";
import { beatsPerQuiet, ClientSocket } from "./client-socket.ts";
import { ListFeed } from "./list-feed.ts";
import { logRequest } from "./request-log.ts";
import type { Services } from "./services.ts";

/** The subprotocols at `/ws`. */
const subprotocols: ReadonlySet<string> = new Set(["landline.v1", "bridge.v1"]);

/** One client of any dialect and transport. */
interface SocketClient {
  readonly principal: Principal;
  readonly ended: Promise<void>;
  close(code: number, reason: string): void;
  /** Called `beatsPerQuiet` times in `socketQuietMs`. */
  beat(): void;
}

/** `ws`: landline.v1 or bridge.v1. `acp`: the Agent Client Protocol. */
export type SocketPath = "ws" | "acp";

/** The WebSockets at `/ws` and `/acp`, and the ACP connections over HTTP: accepts, pings and closes them. */
export class SocketServer {
  readonly #services: Services;
  readonly #auth: Pick<Auth, "authenticate">;
  readonly #webSockets: WebSocketServer;
  /** For tokens with the role `watch`: parsing a large message takes much memory and blocks the event loop. */
  readonly #watching: WebSocketServer;
  readonly #feed: ListFeed;
  readonly #revocations: Disposable;
  readonly #clients = new Set<SocketClient>();
  readonly #httpConnections = new Map<string, AcpHttpConnection>();
  readonly #heart: NodeJS.Timeout;
  #isClosed = false;

  constructor(services: Services, auth: Pick<Auth, "authenticate">) {
    this.#services = services;
    this.#auth = auth;
    const { socketMessageBytes, watchMessageBytes } = services.limits;
    this.#webSockets = webSocketServer(socketMessageBytes);
    this.#watching = webSocketServer(Math.min(watchMessageBytes, socketMessageBytes));
    this.#feed = new ListFeed(services);
    this.#revocations = services.tokens.watch((tokenId) => this.#revoke(tokenId));
    this.#heart = setInterval(
      () => this.#beat(),
      Math.max(1, Math.floor(services.limits.socketQuietMs / beatsPerQuiet)),
    ).unref();
  }

  /** Throws when the upgrade is refused, before anything is written. */
  async accept(
    at: SocketPath,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    const startedAt = performance.now();
    const principal = await this.#auth.authenticate(request, request.socket);
    if (at === "ws") mustSpeakOurs(request);
    const url = new URL(request.url ?? "/", "http://gateway.invalid");
    const agentId = at === "acp" ? await chosenAgent(url, this.#services) : null;
    if (this.#isClosed) return void socket.destroy();
    this.#checkRoom(principal);
    const webSockets = principal.role === "watch" ? this.#watching : this.#webSockets;
    const { address, limits } = this.#services;
    const messageBytes = Math.min(webSockets.options.maxPayload ?? Infinity, limits.lineBytes);
    if (agentId !== null)
      upgradeHeaders.set(request, {
        ...connectionHeaders(randomUUID(), address.basePath),
        [messageBytesHeader]: String(messageBytes),
      });
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const client =
        agentId === null
          ? new ClientSocket(webSocket, socket, principal, this.#services, this.#feed)
          : new AcpSocket(webSocket, principal, this.#services, agentId);
      this.#add(client);
      const { logger } = this.#services;
      const path = `${address.basePath}/${at}`;
      const { clientId } = principal;
      logRequest(logger, { method: "GET", path, status: 101, startedAt, client: clientId });
    });
  }

  /** Throws `rate-limited`. */
  connect(principal: Principal, agentId: string): AcpHttpConnection {
    if (this.#isClosed) throw new LandlineError("connection-lost");
    this.#checkRoom(principal);
    const connection = new AcpHttpConnection({ principal, services: this.#services, agentId });
    this.#httpConnections.set(connection.id, connection);
    void connection.ended.then(() => this.#httpConnections.delete(connection.id));
    this.#add(connection);
    return connection;
  }

  /** The connection with this id, if this token opened it. */
  find(id: string, { tokenId }: Principal): AcpHttpConnection | null {
    const found = this.#httpConnections.get(id);
    return found?.principal.tokenId === tokenId ? found : null;
  }

  #add(client: SocketClient): void {
    this.#clients.add(client);
    void client.ended.then(() => this.#clients.delete(client));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#heart);
    this.#revocations[Symbol.dispose]();
    for (const client of this.#clients) client.close(1001, "The gateway is stopping.");
    await Promise.all([...this.#clients].map(({ ended }) => ended));
    this.#feed[Symbol.dispose]();
  }

  /** Throws `rate-limited`. */
  #checkRoom({ tokenId }: Principal): void {
    const { socketsOpen, socketsPerToken } = this.#services.limits;
    if (this.#clients.size >= socketsOpen)
      throw tooMany(`${socketsOpen} sockets are already open.`, this.#services);
    let own = 0;
    for (const { principal } of this.#clients) if (principal.tokenId === tokenId) own += 1;
    if (own >= socketsPerToken)
      throw tooMany(`This token already has ${own} sockets open.`, this.#services);
  }

  #revoke(tokenId: string): void {
    for (const client of this.#clients) {
      if (client.principal.tokenId === tokenId) client.close(1008, "The token was revoked.");
    }
  }

  #beat(): void {
    for (const client of this.#clients) client.beat();
  }
}

function chosen(offered: ReadonlySet<string>): string | undefined {
  return [...offered].find((name) => subprotocols.has(name));
}

/**
 * Without a subprotocol, the dialect is that of seed 001; otherwise the client must offer a supported one besides its
 * token.
 */
function mustSpeakOurs(request: IncomingMessage): void {
  const header = request.headers["sec-websocket-protocol"];
  if (header === undefined) return;
  if (chosen(new Set(header.split(",").map((name) => name.trim()))) !== undefined) return;
  throw new LandlineError("invalid-request", {
    message: "None of the offered subprotocols is supported.",
    help: "Offer landline.v1 or bridge.v1, and token.<token> only beside one of them.",
  });
}

/** Headers of the response to an upgrade. */
const upgradeHeaders = new WeakMap<IncomingMessage, Readonly<Record<string, string>>>();

function webSocketServer(maxPayload: number): WebSocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    handleProtocols: (offered) => chosen(offered) ?? false,
  });
  server.on("headers", (headers, request) => {
    for (const [name, value] of Object.entries(upgradeHeaders.get(request) ?? {}))
      headers.push(`${name}: ${value}`);
  });
  return server;
}

function tooMany(message: string, { limits }: Services): LandlineError {
  return new LandlineError("rate-limited", {
    message,
    retryAfterMs: limits.socketQuietMs,
  });
}
