import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, isIP, type ListenOptions, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import { forward } from "./forwarded-request.ts";
import {
  allowsPrivateAddress,
  formatTarget,
  type HostPattern,
  matches,
  parseTarget,
  type Target,
} from "./host-pattern.ts";
import { isPublicAddress } from "./public-address.ts";

/** Connections of one confined program to the proxy, and of the proxy to servers. */
const connectionsMax = 128;
const headerBytesMax = 32 * 1024;
const headersMs = 30_000;
/** For the name lookup and the connection together. */
const connectMs = 30_000;
/** Without data in either direction: while both sides can send, and after one side has ended. */
const idleMs = 3_600_000;
const halfClosedMs = 60_000;
/** Time for the client to read the refusal. */
const refusalMs = 5_000;
const deniedMax = 64;

export interface NetworkProxyOptions {
  readonly patterns: readonly HostPattern[];
  readonly at: ListenOptions;
  /** Resolves a name to all its addresses. Default: the system resolver. */
  readonly resolve?: (name: string) => Promise<string[]>;
}

/** A response of the proxy itself, with a message of one line. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/**
 * An HTTP proxy that connects only to the hosts of a list. It does not trust its clients: it resolves names itself,
 * connects to the addresses that it checked, and checks every request of a connection.
 */
export class NetworkProxy {
  readonly #patterns: readonly HostPattern[];
  readonly #resolve: (name: string) => Promise<string[]>;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #denied = new Set<string>();
  #reached = 0;
  #closing: Promise<void> | undefined;

  private constructor({ patterns, resolve = addressesOf }: NetworkProxyOptions) {
    this.#patterns = patterns;
    this.#resolve = resolve;
    this.#server = createServer({
      maxHeaderSize: headerBytesMax,
      headersTimeout: headersMs,
      requestTimeout: 0,
      insecureHTTPParser: false,
      // The URL of a request decides. Its Host header is replaced.
      requireHostHeader: false,
    });
    this.#server.maxConnections = connectionsMax;
    this.#server.on("connection", (socket) => this.#own(socket));
    this.#server.on("request", (request, response) => void this.#request(request, response));
    this.#server.on("connect", (request, socket, head) => void this.#tunnel(request, socket, head));
  }

  static async open(options: NetworkProxyOptions): Promise<NetworkProxy> {
    const proxy = new NetworkProxy(options);
    proxy.#server.listen(options.at);
    await once(proxy.#server, "listening");
    // The system could not accept one connection. The other connections are unaffected.
    proxy.#server.on("error", () => {});
    // The caller closes the proxy. It must not keep the process alive.
    proxy.#server.unref();
    return proxy;
  }

  /** The TCP port on which it listens. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  deniedHosts(): readonly string[] {
    return [...this.#denied];
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
    return this.#closing;
  }

  #own(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // A broken connection is also closed, and its users handle that.
    socket.on("error", () => {});
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { target, path } = addressOf(request);
      const upstream = await this.#reach(target);
      if (response.destroyed) upstream.destroy();
      else await forward({ request, response, upstream, path, host: hostHeader(target) });
    } catch (error) {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const { status, message } = asRefusal(error);
      response.writeHead(status, { "content-type": "text/plain", connection: "close" });
      response.end(`${message}\n`);
    }
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    let upstream: Socket;
    try {
      const target = parseTarget(request.url ?? "", null);
      if (target === null) throw badAddress();
      upstream = await this.#reach(target);
    } catch (error) {
      refuseTunnel(client as Socket, asRefusal(error));
      return;
    }
    if (client.destroyed) {
      upstream.destroy();
      return;
    }
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    upstream.write(head);
    join(client as Socket, upstream);
  }

  /** Connects to a host of the list. */
  async #reach(target: Target): Promise<Socket> {
    const allowing = this.#patterns.filter((pattern) => matches(pattern, target));
    if (allowing.length === 0) throw this.#refuse(target, "the host is not on its list");
    if (this.#reached >= connectionsMax)
      throw new Refusal(503, "The sandbox has too many connections open. Close some of them.");
    this.#reached += 1;
    try {
      const addresses = await this.#addressesOf(target);
      const usable = allowing.some(allowsPrivateAddress)
        ? addresses
        : addresses.filter((address) => isPublicAddress(address));
      if (usable.length === 0)
        throw this.#refuse(target, "its name resolves to an address that is not public");
      if (this.#closing !== undefined) throw new Refusal(503, "The sandbox has ended.");
      const socket = await this.#connect(target, usable);
      socket.once("close", () => (this.#reached -= 1));
      return socket;
    } catch (error) {
      this.#reached -= 1;
      throw error;
    }
  }

  async #addressesOf(target: Target): Promise<string[]> {
    if (isIP(target.host) !== 0) return [target.host];
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("no answer")), connectMs);
    try {
      return await Promise.race([this.#resolve(target.host), late.promise]);
    } catch (error) {
      throw unreachable(target, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #refuse(target: Target, reason: string): Refusal {
    const name = formatTarget(target);
    if (this.#denied.size < deniedMax) this.#denied.add(name);
    return new Refusal(403, `The sandbox refused the connection to ${name}: ${reason}.`);
  }

  #connect(target: Target, addresses: readonly string[]): Promise<Socket> {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const socket = connect({
      ...target,
      allowHalfOpen: true,
      keepAlive: true,
      // The name is not resolved again: it could resolve to another address by now.
      lookup: (_, options, done) => {
        const [first] = found;
        if (options.all === true) done(null, found);
        else done(null, first?.address ?? "", first?.family ?? 4);
      },
    });
    this.#own(socket);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new Error("It did not answer.")), connectMs);
      let problem: Error | undefined;
      socket.once("error", (error) => (problem = error));
      socket.once("connect", () => {
        clearTimeout(timer);
        resolve(socket);
      });
      socket.once("close", () => {
        clearTimeout(timer);
        reject(unreachable(target, problem));
      });
    });
  }
}

async function addressesOf(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Parses a request other than CONNECT: its URL is absolute, `http://host:port/path`. */
function addressOf({ url = "" }: IncomingMessage): { target: Target; path: string } {
  const [, authority = "", path = ""] = /^http:\/\/([^/?#]*)((?:[/?][^#]*)?)$/i.exec(url) ?? [];
  const target = parseTarget(authority, 80);
  if (target === null) throw badAddress();
  return { target, path: path.startsWith("/") ? path : `/${path}` };
}

function badAddress(): Refusal {
  return new Refusal(
    400,
    "The proxy of the sandbox takes CONNECT host:port and http://host:port/path, without a user name.",
  );
}

function hostHeader(target: Target): string {
  return formatTarget(target).replace(/:80$/, "");
}

function unreachable(target: Target, cause?: unknown): Refusal {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? "no answer";
  return new Refusal(502, `${formatTarget(target)} cannot be reached (${code}).`, { cause });
}

/** Any other error is a server error or a header that must not be forwarded. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(502, "The server closed the connection.", { cause: error });
}

function refuseTunnel(client: Socket, { status, message }: Refusal): void {
  const body = `${message}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${status === 403 ? "Forbidden" : "Failed"}`,
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  client.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  client.resume();
  client.setTimeout(refusalMs, () => client.destroy());
}

function join(client: Socket, upstream: Socket): void {
  const both = [client, upstream];
  const destroy = () => both.forEach((socket) => socket.destroy());
  const idleAfter = (milliseconds: number) =>
    both.forEach((socket) => socket.setTimeout(milliseconds));
  for (const socket of both) {
    socket.on("timeout", destroy);
    // Two pipelines listen to each socket, and Node reports that many listeners as a leak.
    socket.setMaxListeners(20);
  }
  idleAfter(idleMs);
  const ended = (error?: Error | null) => (error ? destroy() : idleAfter(halfClosedMs));
  pipeline(client, upstream, ended);
  pipeline(upstream, client, ended);
}
