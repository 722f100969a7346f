import { createApi, createLandline, type Api, type Landline } from "@landline/client";
import type { GatewayOptions } from "@landline/gateway";
import { LandlineError } from "@landline/protocol";
import { readGatewayFile } from "./gateway-file.ts";
import { gatewayFetch, type GatewayAddress } from "./gateway-fetch.ts";

/** A gateway on this machine, and how the command line connects to it. */
export class ReachedGateway {
  readonly url: string;
  readonly api: Api;
  readonly #options: Parameters<typeof createLandline>[0];

  constructor(address: GatewayAddress) {
    const { url, token } = address;
    this.url = url;
    // Node's WebSocket does not support Unix sockets. Server-sent events do.
    this.#options = {
      url,
      ...(token === undefined ? {} : { token }),
      transport: "sse",
      fetch: gatewayFetch(address),
    };
    this.api = createApi(this.#options);
  }

  /** Rejects if the gateway cannot be reached now. Later it reconnects automatically. */
  async connect(): Promise<Landline> {
    const landline = createLandline(this.#options);
    const { connection } = landline;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const unsubscribe = connection.subscribe(() => {
      const { state, error } = connection.getSnapshot();
      if (state === "online") resolve();
      else if (state !== "connecting") reject(error ?? new LandlineError("connection-lost"));
    });
    try {
      await promise;
      return landline;
    } catch (error) {
      landline.close();
      throw error;
    } finally {
      unsubscribe();
    }
  }
}

/** The running gateway of this data folder; null if there is none. */
export async function findGateway(options: GatewayOptions): Promise<ReachedGateway | null> {
  const running = await readGatewayFile(options.dataFolder);
  return running && new ReachedGateway(running);
}

export async function requireGateway(options: GatewayOptions): Promise<ReachedGateway> {
  const found = await findGateway(options);
  if (found) return found;
  throw new LandlineError("gateway-not-running", {
    message: `No gateway is running for the data folder ${options.dataFolder}.`,
    help: "Start one with `landline serve`, or name another folder with --data.",
  });
}
