import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** The network between clients and a gateway: it has a fixed address, and can be cut. */
export class Network implements AsyncDisposable {
  readonly #server: Server;
  readonly #lines = new Set<Socket>();
  /** The gateway's address; null while there is none. */
  target: number | null = null;

  private constructor() {
    this.#server = createServer((client) => this.#join(client));
  }

  static async open(): Promise<Network> {
    const network = new Network();
    network.#server.listen(0, "127.0.0.1");
    await once(network.#server, "listening");
    return network;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts the chosen connections. */
  cut(isChosen: () => boolean = () => true): void {
    for (const line of this.#lines) if (isChosen()) line.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    client.on("error", () => {});
    if (this.target === null) {
      client.destroy();
      return;
    }
    const gateway = connect(this.target, "127.0.0.1");
    gateway.on("error", () => {});
    gateway.setNoDelay();
    client.setNoDelay();
    this.#lines.add(client);
    client.pipe(gateway).pipe(client);
    client.on("close", () => {
      this.#lines.delete(client);
      gateway.destroy();
    });
    gateway.on("close", () => client.destroy());
  }
}
