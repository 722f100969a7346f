import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A TCP proxy on loopback whose connections can be cut, and which can refuse new ones. */
export class CutProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isOpen = true;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      if (!this.#isOpen) {
        client.destroy();
        return;
      }
      const upstream = connect(target, "127.0.0.1");
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  static async open(target: number): Promise<CutProxy> {
    const proxy = new CutProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts all connections, and refuses new ones until `mend`. */
  cut(): void {
    this.#isOpen = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isOpen = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
