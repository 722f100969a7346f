import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

type Message = Readonly<Record<string, unknown>>;

/** A proxy on loopback in front of `/acp` of a gateway, which reads the messages and can answer them itself. */
export class MessageProxy implements AsyncDisposable {
  /** Messages for which this returns a message are not passed on; that one is the answer. */
  intercept: (message: Message) => Message | null = () => null;
  /** Messages of new connections are passed on after this. */
  hold = Promise.resolve();
  connections = 0;
  pings = 0;
  readonly #server: WebSocketServer;
  readonly #open = new Set<WebSocket>();
  #changed = Promise.withResolvers<void>();

  private constructor(gateway: string) {
    this.#server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    this.#server.on("connection", (client, { url = "", headers: { authorization = "" } }) => {
      const upstream = new WebSocket(`${gateway.replace("http", "ws")}${url}`, {
        headers: { authorization },
      });
      this.connections++;
      this.#noteChange();
      this.#open.add(client).add(upstream);
      const opened = Promise.all([once(upstream, "open"), this.hold]);
      opened.catch(() => {});
      client.on("message", (data) => {
        opened.then(
          () => this.#pass(data, client, upstream),
          () => {},
        );
      });
      client.on("ping", () => {
        this.pings++;
        this.#noteChange();
      });
      upstream.on("message", (data) => client.send((data as Buffer).toString()));
      for (const socket of [client, upstream]) {
        socket.on("error", () => {});
        socket.on("close", () => {
          client.terminate();
          upstream.terminate();
        });
      }
    });
  }

  static async open(gateway: string): Promise<MessageProxy> {
    const proxy = new MessageProxy(gateway);
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await this.#changed.promise;
  }

  /** Sends messages to the editor in one write. */
  burst(messages: readonly Message[]): void {
    for (const client of this.#server.clients) {
      const { _socket: socket } = client as unknown as { readonly _socket: Socket };
      socket.cork();
      for (const message of messages) client.send(JSON.stringify(message));
      socket.uncork();
    }
  }

  cut(): void {
    for (const socket of this.#open) socket.terminate();
    this.#open.clear();
  }

  #pass(data: unknown, client: WebSocket, upstream: WebSocket): void {
    const answer = this.intercept(JSON.parse(String(data)) as Message);
    if (answer) client.send(JSON.stringify(answer));
    else upstream.send(String(data));
  }

  #noteChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
