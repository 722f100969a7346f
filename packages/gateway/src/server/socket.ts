import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { errorRow } from "@landline/protocol";
import { loadOnce } from "@landline/system/load-once";
import type { Auth } from "./auth.ts";
import { asLandlineError, nothingHere } from "./problem.ts";
import { refuseUpgrade } from "./refusal.ts";
import { logRequest } from "./request-log.ts";
import type { Services } from "./services.ts";

export interface Sockets {
  /** Takes nobody in any more, and ends all sockets with 1001, within `socketCloseMs`. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens `/ws` on a server: our own vocabulary (`landline.v1`), or seed 001's (`bridge.v1`, or none
 * offered). What it needs is loaded when the first client comes, so that a start costs nothing.
 */
export function attachSockets(
  server: Server,
  services: Services,
  auth: Pick<Auth, "authenticate">,
): Sockets {
  const path = `${services.address.basePath}/ws`;
  const door = loadOnce(async () => {
    const { SocketServer } = await import("./socket-server.ts");
    return new SocketServer(services, auth);
  });
  let closed: Promise<void> | undefined;

  const accept = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const startedAt = performance.now();
    try {
      if (pathOf(request) !== path) throw nothingHere();
      const opened = await door();
      if (closed) socket.destroy();
      else await opened.accept(request, socket, head);
    } catch (error) {
      const refusal = asLandlineError(error);
      if (refusal.code === "internal-error") services.logger.error("an upgrade failed", { error });
      refuseUpgrade(socket, refusal);
      const { code } = refusal;
      const status = errorRow(code).http;
      const facts = { method: "GET", path: pathOf(request) ?? "", status, startedAt, code };
      logRequest(services.logger, facts);
    }
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Somebody else may know an address that is not ours.
    if (pathOf(request) !== path && server.listenerCount("upgrade") > 1) return;
    // A client that goes away in the middle is no reason to stop.
    socket.on("error", () => socket.destroy());
    if (closed) socket.destroy();
    else void accept(request, socket, head);
  };

  server.on("upgrade", onUpgrade);
  const close = async () => (await door.current()?.catch(() => null))?.close();
  return { close: () => (closed ??= close()) };
}

function pathOf(request: IncomingMessage): string | null {
  return URL.parse(request.url ?? "/", "http://gateway.invalid")?.pathname ?? null;
}
