import { createServer as createHttp2Server, type Http2Session } from "node:http2";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Limits } from "@landline/protocol";
import type { LoadedCertificate } from "./certificate.ts";

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export interface SecureServer {
  readonly server: Server;
  /** Ends idle HTTP/2 sessions now, and the others after their last stream. */
  closeSessions(): void;
}

/** HTTPS on one port: HTTP/2 where the client offers it, otherwise HTTP/1.1, which WebSockets need. */
export function createSecureServer(
  options: ServerOptions,
  certificate: LoadedCertificate,
  limits: Limits,
  answer: Answer,
): SecureServer {
  const sessions = new Set<Http2Session>();
  const http2 = createHttp2Server({
    settings: { maxHeaderListSize: limits.headerBytes, maxConcurrentStreams: STREAMS },
  });
  // The compatibility API of HTTP/2 has the members of HTTP/1.1 that are used here.
  http2.on("request", (incoming, outgoing) =>
    answer(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse),
  );
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.setTimeout(limits.keepAliveMs, () => session.close());
  });
  http2.on("sessionError", () => {});
  const server = createServer(
    {
      ...options,
      ...certificate,
      ALPNProtocols: ["h2", "http/1.1"],
      handshakeTimeout: limits.headersMs,
      minVersion: "TLSv1.2",
    },
    answer,
  );
  const [asHttp1] = server.listeners("secureConnection") as [(socket: TLSSocket) => void];
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket: TLSSocket) => {
    socket.on("error", () => {});
    if (socket.alpnProtocol !== "h2") return asHttp1.call(server, socket);
    // It is created in this call.
    http2.once("session", (session) => sessionSockets.set(session, socket));
    return void http2.emit("connection", socket);
  });
  return {
    server,
    closeSessions: () => {
      for (const session of sessions) session.close();
    },
  };
}

/** Requests of one connection at the same time, event streams included. */
const STREAMS = 1_000;

/** Requests of HTTP/2 name a substitute for their socket, which cannot be compared with the socket. */
const sessionSockets = new WeakMap<Http2Session, Socket>();

/** The connection of a request. */
export function requestSocket(incoming: IncomingMessage): Socket {
  const { stream } = incoming as { readonly stream?: { readonly session?: Http2Session } };
  const { session } = stream ?? {};
  return (session && sessionSockets.get(session)) ?? incoming.socket;
}
