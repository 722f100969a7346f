import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { TestGateway } from "./gateway.ts";

/**
 * A proxy before the gateway that serves its page as a newer build: another worker, a renamed style sheet, and a
 * `data-build` attribute. Everything else passes unchanged.
 */
export class NextBuild implements AsyncDisposable {
  readonly #server = createServer((asked, reply) => void this.#answer(asked, reply));
  readonly #sockets = new Set<Socket>();
  readonly #target: number;
  readonly #name: string;

  private constructor(target: number, name: string) {
    this.#target = target;
    this.#name = name;
    this.#server.on("connection", (socket) => this.#own(socket));
    this.#server.on("upgrade", (asked: IncomingMessage, client: Socket) => {
      this.#join(asked, client);
    });
  }

  static async before(gateway: TestGateway, name: string): Promise<NextBuild> {
    const { target } = gateway.network;
    if (target === null) throw new Error("There is no gateway on the network.");
    const build = new NextBuild(target, name);
    build.#server.listen(0, "127.0.0.1");
    await once(build.#server, "listening");
    gateway.network.target = (build.#server.address() as AddressInfo).port;
    return build;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    // Uncompressed and complete, because it is modified here.
    const { "accept-encoding": _encoding, "if-none-match": _etag, ...headers } = asked.headers;
    const { url = "", method = "GET" } = asked;
    const path = url.replace(`/${this.#name}-`, "/");
    const passed = request({ host: "127.0.0.1", port: this.#target, path, method, headers });
    passed.on("error", () => reply.destroy());
    asked.pipe(passed);
    const [answer] = (await once(passed, "response")) as [IncomingMessage];
    if (!/\/(sw\.js)?$/.test(url)) {
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
      return;
    }
    const { "content-length": _length, etag: _tag, ...rest } = answer.headers;
    reply.writeHead(answer.statusCode ?? 500, rest);
    reply.end(this.#rebuilt(await text(answer)));
  }

  #rebuilt(file: string): string {
    return file
      .replace(/"build":"[^"]+"/, `"build":"${this.#name}"`)
      .replaceAll(/assets\/(index-[\w-]+\.css)/g, `assets/${this.#name}-$1`)
      .replace("<html ", `<html data-build="${this.#name}" `);
  }

  #join(asked: IncomingMessage, client: Socket): void {
    const gateway = connect(this.#target, "127.0.0.1");
    this.#own(gateway);
    const names = asked.rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [`${name}: ${asked.rawHeaders[index + 1] ?? ""}`] : [],
    );
    gateway.write([`GET ${asked.url ?? ""} HTTP/1.1`, ...names, "", ""].join("\r\n"));
    client.pipe(gateway).pipe(client);
    client.on("close", () => gateway.destroy());
  }

  #own(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
