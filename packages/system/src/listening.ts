import { once } from "node:events";
import { isIP, type AddressInfo, type Server } from "node:net";
import type { Duplex } from "node:stream";

export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves when the server listens. The error says why it can't. */
export async function listenOn(
  server: Server,
  { host, port }: BoundAddress,
): Promise<BoundAddress> {
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "the port is in use" : (code ?? "unknown");
    throw new Error(`It can't listen on ${host}, port ${port}: ${why}. Choose another port.`, {
      cause: error,
    });
  }
  const bound = server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

/** A host and a port as they are written in a URL. */
export function authorityOf({ host, port }: BoundAddress): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** The connections of a server. Each is destroyed when it was served, and all of them at the end. */
export class AcceptedConnections {
  readonly #serve: (stream: Duplex) => Promise<void>;
  readonly #most: number;
  readonly #streams = new Map<Duplex, Promise<void>>();

  constructor(most: number, serve: (stream: Duplex) => Promise<void>) {
    this.#most = most;
    this.#serve = serve;
  }

  /** Closes the connection if there are too many. */
  accept(stream: Duplex): void {
    // The end of the connection reports failures.
    stream.on("error", () => undefined);
    if (this.#streams.size >= this.#most) {
      stream.destroy();
      return;
    }
    const served = this.#serve(stream)
      .catch(() => undefined)
      .finally(() => {
        stream.destroy();
        this.#streams.delete(stream);
      });
    this.#streams.set(stream, served);
  }

  /** Resolves when every connection was destroyed and its server has finished. */
  async end(): Promise<void> {
    const served = [...this.#streams.values()];
    for (const stream of this.#streams.keys()) stream.destroy();
    await Promise.all(served);
  }
}
