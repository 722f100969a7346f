import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { asLandlineError, LandlineError, type Limits } from "@landline/protocol";
import { loadOnce } from "@landline/system/load-once";
import { Addresses, type BoundAddress } from "./address.ts";
import { createAuth } from "./auth.ts";
import type { LoadedCertificate } from "./certificate.ts";
import { DeviceKeys } from "./device-keys.ts";
import { EventStreams } from "./events.ts";
import type { Listener } from "./listener.ts";
import { pageFolders } from "./page-folders.ts";
import { ratesOf } from "./rates.ts";
import { createSecureServer } from "./secure-server.ts";
import type { Services } from "./services.ts";
import { ResponseSlots } from "./response-slots.ts";
import { attachSockets } from "./socket.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";
import { Tickets } from "./tickets.ts";

/** The HTTP and WebSocket server: authentication and operations. */
export interface HttpServer extends AsyncDisposable {
  /** Throws `address-unusable`. */
  listen(address: BoundAddress): Promise<{ readonly port: number; readonly url: string }>;
  /** For new connections. */
  useCertificate(certificate: LoadedCertificate): void;
  /** Listens on a Unix socket for the command line. Whoever can open it needs no token. */
  listenLocal(path: string): Promise<void>;
  /** Ends every stream and connection, within `serverCloseMs`. Idempotent. */
  close(): Promise<void>;
}

/** With a certificate: HTTPS and HTTP/2. The socket of the command line is always plain HTTP. */
export function createHttpServer(
  services: Services,
  certificate: LoadedCertificate | null = null,
): HttpServer {
  const addresses = new Addresses(services.address);
  const streams = new EventStreams(services);
  const closing = new AbortController();
  const rates = ratesOf(services);
  const pages = pageFolders();
  const answer = answerWith(() => listener(), services);
  const secure = certificate && secureServer(certificate, answer, services);
  const server = secure?.server ?? plainServer(answer, services);
  const unauthenticated = new UnauthenticatedConnections(
    server,
    secure ? "secureConnection" : "connection",
    services.limits.strangerIdleMs,
  );
  const local = plainServer(answer, services);
  const localConnections = connectionsOf(local);
  const isLocal = (socket: Socket) => localConnections.has(socket);
  const deviceKeys = new DeviceKeys(services.tokens, services.limits);
  const tickets = new Tickets(services.limits);
  const auth = createAuth(services, { addresses, unauthenticated, deviceKeys, tickets, isLocal });
  const sockets = attachSockets([server, local], services, auth);
  const context = {
    services,
    auth,
    addresses,
    deviceKeys,
    tickets,
    streams,
    sockets,
    rates,
    views: new ResponseSlots("viewsPerToken", services.limits, "views, pages or texts of sessions"),
    exports: new ResponseSlots("exportsPerToken", services.limits, "exports"),
    closing: closing.signal,
    pages,
  };
  const listener = loadOnce(async () => {
    const { createListener } = await import("./listener.ts");
    return createListener(context);
  });
  const connections = connectionsOf(server);
  let closed: Promise<void> | undefined;
  const end = async () => {
    closing.abort();
    streams.close();
    unauthenticated[Symbol.dispose]();
    deviceKeys[Symbol.dispose]();
    secure?.closeSessions();
    const ended = closeServer(server, connections, services.limits);
    const localEnded = closeServer(local, localConnections, services.limits);
    await Promise.all([sockets.close(), ended, localEnded]);
  };
  const close = () => (closed ??= end());
  return {
    listen: async (address) => {
      const port = await bind(server, address);
      addresses.bind({ host: address.host, port }, secure !== null);
      const scheme = secure ? "https" : "http";
      const url = `${scheme}://${urlHost(address.host)}:${port}${services.address.basePath}`;
      return { port, url };
    },
    useCertificate: (loaded) => secure?.server.setSecureContext(loaded),
    listenLocal: (path) => bindLocal(local, path),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

function answerWith(listener: () => Promise<Listener>, { logger }: Services): Answer {
  return (incoming, outgoing) => {
    listener().then(
      (loaded) => loaded.answer(incoming, outgoing),
      (error: unknown) => {
        logger.error("The HTTP server could not be loaded.", { error: asLandlineError(error) });
        outgoing.destroy();
      },
    );
  };
}

function plainServer(answer: Answer, { limits }: Services): Server {
  const server = createServer(optionsOf(limits), answer);
  server.maxConnections = limits.connectionsOpen;
  return server;
}

function secureServer(certificate: LoadedCertificate, answer: Answer, { limits }: Services) {
  const secure = createSecureServer(optionsOf(limits), certificate, limits, answer);
  secure.server.maxConnections = limits.connectionsOpen;
  return secure;
}

function optionsOf(limits: Limits) {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(limits.headersMs, 5_000),
  };
}

function bind(server: Server, { host, port }: BoundAddress): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const fail = (error: NodeJS.ErrnoException) => reject(unusable(host, port, error));
  server.once("error", fail);
  server.listen({ host, port }, () => {
    server.off("error", fail);
    resolve((server.address() as AddressInfo).port);
  });
  return promise;
}

async function bindLocal(server: Server, path: string): Promise<void> {
  // An existing socket file is from a killed process, because this process owns the folder.
  await rm(path, { force: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  // `listen` creates the file synchronously, so the umask applies from the start.
  const before = process.umask(0o177);
  try {
    server.listen(path, resolve);
  } finally {
    process.umask(before);
  }
  await promise;
  server.off("error", reject);
  await chmod(path, 0o600);
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program already listens there",
  EADDRNOTAVAIL: "this machine does not have that address",
  EACCES: "the system does not allow it",
  ENOTFOUND: "the host name is unknown",
};

function unusable(host: string, port: number, cause: NodeJS.ErrnoException): LandlineError {
  const because = reasons[cause.code ?? ""] ?? cause.code ?? "unknown error";
  const message = `Can't listen on ${urlHost(host)}:${port}: ${because}.`;
  return new LandlineError("address-unusable", { message, data: { host, port }, cause });
}

/** All connections, including upgraded ones, which the server no longer tracks. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return connections;
}

async function closeServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  limits: Limits,
): Promise<void> {
  if (!server.listening) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  // Clients open spare connections without a request, which Node does not count as idle.
  for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
  const cut = () => {
    for (const connection of connections) connection.destroy();
  };
  const timer = setTimeout(cut, limits.serverCloseMs);
  await promise;
  clearTimeout(timer);
}

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
