import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { asLandlineError, errorRow } from "@landline/protocol";
import { loadOnce } from "@landline/system/load-once";
import type { Auth } from "./auth.ts";
import { notFound } from "./problem.ts";
import { refuseUpgrade } from "./refusal.ts";
import { logRequest } from "./request-log.ts";
import type { Services } from "./services.ts";
import type { SocketPath, SocketServer } from "./socket-server.ts";

export interface Sockets {
  /** Loads the modules of sockets. */
  server(): Promise<SocketServer>;
  /** Refuses new sockets and closes all others with 1001, within `socketCloseMs`. Idempotent. */
  close(): Promise<void>;
}

/**
 * Serves WebSockets at `/ws`, in the dialect `landline.v1`, or `bridge.v1` if that or no subprotocol is offered, and ACP
 * at `/acp`. Its modules are loaded with the first client, so that the gateway starts faster.
 */
export function attachSockets(
  servers: readonly Server[],
  services: Services,
  auth: Pick<Auth, "authenticate">,
): Sockets {
  const { basePath } = services.address;
  const paths = new Map<string | null, SocketPath>([
    [`${basePath}/ws`, "ws"],
    [`${basePath}/acp`, "acp"],
  ]);
  const loadServer = loadOnce(async () => {
    const { SocketServer } = await import("./socket-server.ts");
    return new SocketServer(services, auth);
  });
  let closed: Promise<void> | undefined;

  const accept = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const startedAt = performance.now();
    try {
      const at = paths.get(pathOf(request));
      if (at === undefined) throw notFound();
      const opened = await loadServer();
      if (closed) socket.destroy();
      else await opened.accept(at, request, socket, head);
    } catch (error) {
      const refusal = asLandlineError(error);
      if (refusal.code === "internal-error")
        services.logger.error("A WebSocket upgrade failed.", { error });
      refuseUpgrade(socket, refusal);
      const { code } = refusal;
      const status = errorRow(code).http;
      const facts = { method: "GET", path: pathOf(request) ?? "", status, startedAt, code };
      logRequest(services.logger, facts);
    }
  };

  const onUpgrade = (server: Server, request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Another listener may handle other addresses.
    if (!paths.has(pathOf(request)) && server.listenerCount("upgrade") > 1) return;
    // Without a listener, the error of a client that disconnects would end the process.
    socket.on("error", () => socket.destroy());
    if (closed) socket.destroy();
    else void accept(request, socket, head);
  };

  for (const server of servers)
    server.on("upgrade", (request, socket, head) => onUpgrade(server, request, socket, head));
  const close = async () => (await loadServer.current()?.catch(() => null))?.close();
  return { server: loadServer, close: () => (closed ??= close()) };
}

function pathOf(request: IncomingMessage): string | null {
  return URL.parse(request.url ?? "/", "http://gateway.invalid")?.pathname ?? null;
}
