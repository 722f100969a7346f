import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/**
 * A proxy that blocks WebSockets, as in some companies. Some proxies also buffer responses, so a stream never arrives.
 */
export class NoSockets implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  refused = 0;
  holdsStreams = false;

  private constructor(gateway: string) {
    const { hostname, port } = new URL(gateway);
    this.#server = createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      const passed = request({ hostname, port, method, path, headers }, (answer) => {
        const isStream = answer.headers["content-type"]?.startsWith("text/event-stream");
        if (isStream && this.holdsStreams) {
          answer.resume();
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on("error", () => outgoing.destroy());
      outgoing.on("close", () => passed.destroy());
      incoming.pipe(passed);
    });
    this.#server.on("upgrade", (_request, socket) => {
      this.refused += 1;
      socket.end("HTTP/1.1 426 Not Here\r\nConnection: close\r\n\r\n");
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async before(gateway: string): Promise<NoSockets> {
    const proxy = new NoSockets(gateway);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
