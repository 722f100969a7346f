import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { text } from "node:stream/consumers";
import { fc, test as property } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseHostPattern } from "./host-pattern.ts";
import { NetworkProxy } from "./network-proxy.ts";

describe("the proxy", () => {
  let server: Server;
  let seen: IncomingMessage[];
  let proxy: NetworkProxy | undefined;
  const portOf = (one: { address(): unknown }) => (one.address() as AddressInfo).port;
  const port = () => portOf(server);

  beforeEach(async () => {
    seen = [];
    server = createServer((request, response) => {
      seen.push(request);
      const { method, url, headers } = request;
      response.writeHead(200, { "x-one": "1", connection: "x-one, x-hop", "x-hop": "2" });
      void text(request).then((body) => response.end(`${method} ${url} ${headers.host} ${body}`));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(async () => {
    await proxy?.close();
    proxy = undefined;
    server.closeAllConnections();
    server.close();
  });

  async function open(hosts: readonly string[], names: Record<string, string[]> = {}) {
    const looked: string[] = [];
    proxy = await NetworkProxy.open({
      patterns: hosts.map((host) => parseHostPattern(host)!),
      at: { host: "127.0.0.1", port: 0 },
      resolve: async (name) => {
        looked.push(name);
        const addresses = names[name];
        if (addresses === undefined) throw Object.assign(new Error(), { code: "ENOTFOUND" });
        return addresses;
      },
    });
    return looked;
  }

  /** The answer of the proxy to some bytes until it closes, or until the expected text. */
  async function answerTo(bytes: string, until = /$^/): Promise<string> {
    const socket = connect({ port: proxy!.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.write(bytes, "latin1");
    let said = "";
    for await (const chunk of socket) {
      said += chunk;
      if (until.test(said)) break;
    }
    socket.destroy();
    return said;
  }
  const get = (address: string, rest = "") =>
    answerTo(`GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${rest}\r\n`);

  test("forwards a request with the server's own host name and without proxy headers", async () => {
    await open(["127.0.0.1"]);
    const headers = "Proxy-Authorization: x\r\nConnection: x-drop, content-length\r\nX-Drop: 1\r\n";
    const body = "Content-Length: 2\r\n\r\nhi";
    const address = `http://127.0.0.1:${port()}/a?b=http://evil.org/`;
    const said = await answerTo(`POST ${address} HTTP/1.1\r\n${headers}${body}`, / hi/);
    expect(said).toContain(`POST /a?b=http://evil.org/ 127.0.0.1:${port()} hi`);
    expect(said).not.toMatch(/x-one|x-hop/i);
    expect(Object.keys(seen[0]!.headers).toSorted()).toEqual([
      "connection",
      "content-length",
      "host",
    ]);
  });

  test("forwards chunked bodies, and requests without a body", async () => {
    await open(["127.0.0.1"]);
    const start = `HTTP/1.1\r\nConnection: close\r\n`;
    const address = `http://127.0.0.1:${port()}`;
    const chunks = "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    expect(await answerTo(`PUT ${address} ${start}${chunks}`)).toMatch(/PUT \/ .* hi/);
    expect(await answerTo(`DELETE ${address}?x ${start}${chunks}`)).toMatch(/DELETE \/\?x .* hi/);
    expect(await answerTo(`POST ${address} ${start}\r\n`)).toContain("POST / ");
    expect(seen.at(-1)!.headers["content-length"]).toBe("0");
  });

  test("forwards a response that comes before the body was read", async () => {
    const unread = new AbortController();
    await using early = createTcpServer((socket) => {
      socket.on("error", () => {});
      unread.signal.addEventListener("abort", () => socket.destroy());
      socket.once("data", () => {
        socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
        socket.pause();
      });
    });
    early.listen(0, "127.0.0.1");
    await once(early, "listening");
    await open([`127.0.0.1:${portOf(early)}`]);
    const length = 20_000_000;
    const start = `POST http://127.0.0.1:${portOf(early)}/ HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`;
    expect(await answerTo(start + "x".repeat(length / 2), /no$/)).toMatch(/^HTTP\/1.1 413 /);
    unread.abort();
  });

  test("checks each request of a connection", async () => {
    await open([`127.0.0.1:${port()}`]);
    const one = `GET http://127.0.0.1:${port()}/one HTTP/1.1\r\nHost: x\r\n\r\n`;
    const other = `GET http://evil.org/two HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\n\r\n`;
    const said = await answerTo(one + other);
    expect(said.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
    expect(said).toContain(
      "The sandbox refused the connection to evil.org:80: the host is not on its list.\n",
    );
    expect(seen.map(({ url }) => url)).toEqual(["/one"]);
    expect(proxy!.deniedHosts()).toEqual(["evil.org:80"]);
  });

  test.each([
    ["http://127.0.0.1:PORT@evil.org/"],
    ["http://evil.org@127.0.0.1:PORT/"],
    ["https://127.0.0.1:PORT/"],
    ["http://127.0.0.1:PORT#@evil.org/"],
    ["http://127.0.0.1:PORT\\@evil.org/"],
    ["/"],
    ["//127.0.0.1:PORT/"],
    ["http://"],
    ["http://127.0.0.1:PORT:80/"],
  ])("rejects an address such as %s", async (address) => {
    await open(["127.0.0.1"]);
    expect(await get(address.replace("PORT", String(port())))).toMatch(/^HTTP\/1.1 400 /);
    expect(seen).toEqual([]);
  });

  test.each([
    ["Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"],
    ["Content-Length: 1\r\nContent-Length: 2\r\n"],
    ["Transfer-Encoding : chunked\r\n"],
    ["X: a\nY: b\r\n"],
    [`X: ${"x".repeat(40_000)}\r\n`],
  ])("rejects an ambiguous or very long request: %#", async (header) => {
    await open(["127.0.0.1"]);
    expect(await get(`http://127.0.0.1:${port()}/`, header)).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(seen).toEqual([]);
  });

  test("tunnels only to listed hosts, and closes each direction separately", async () => {
    await using echo = createTcpServer({ allowHalfOpen: true }, (socket) => {
      void text(socket).then((heard) => socket.end(`heard ${heard}`));
    });
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
    await open([`127.0.0.1:${portOf(echo)}`]);
    const socket = connect({ port: proxy!.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.write(`CONNECT 127.0.0.1:${portOf(echo)} HTTP/1.1\r\nHost: x\r\n\r\nearly `);
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 200 .*\r\n\r\n$/);
    socket.end("late");
    expect(String((await once(socket, "data"))[0])).toBe("heard early late");
    await once(socket, "close");

    expect(await answerTo("CONNECT evil.org:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")).toMatch(
      /^HTTP\/1.1 403 [^]*The sandbox refused the connection to evil.org:443/,
    );
    expect(await answerTo("CONNECT user@127.0.0.1:80 HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
    expect(await answerTo("CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
    expect(proxy!.deniedHosts()).toEqual(["evil.org:443"]);
  });

  test("connects to no private address by name, unless the list contains it with its port", async () => {
    const looked = await open(["rebound.example", "*.rebound.example"], {
      "rebound.example": ["127.0.0.1", "::1"],
      "a.rebound.example": ["::ffff:127.0.0.1", "169.254.169.254"],
    });
    for (const host of ["rebound.example", "a.rebound.example"]) {
      expect(await get(`http://${host}:${port()}/`)).toContain(
        `The sandbox refused the connection to ${host}:${port()}: its name resolves to an address that is not public.`,
      );
    }
    expect(seen).toEqual([]);
    expect(looked).toHaveLength(2);
    await proxy!.close();

    const again = await open([`rebound.example:${port()}`], { "rebound.example": ["127.0.0.1"] });
    expect(await get(`http://rebound.example:${port()}/x`)).toContain(
      `GET /x rebound.example:${port()}`,
    );
    expect(again).toEqual(["rebound.example"]);
  });

  test("reports an unreachable host, and does not count it as denied", async () => {
    await open(["missing.example", "127.0.0.1"]);
    expect(await get("http://missing.example/")).toContain(
      "missing.example:80 cannot be reached (ENOTFOUND).",
    );
    expect(await get("http://127.0.0.1:1/")).toContain(
      "127.0.0.1:1 cannot be reached (ECONNREFUSED).",
    );
    expect(proxy!.deniedHosts()).toEqual([]);
  });

  test("remembers a bounded number of denied hosts, each once", async () => {
    await open([]);
    const numbers = Array.from({ length: 80 }, (_, number) => number);
    for (const number of [0, ...numbers]) await get(`http://h${number}.example/`);
    expect(proxy!.deniedHosts()).toEqual(numbers.slice(0, 64).map((one) => `h${one}.example:80`));
  });

  test("has a bounded number of connections", async () => {
    await open([`127.0.0.1:${port()}`]);
    const sockets = Array.from({ length: 140 }, () => connect(proxy!.port, "127.0.0.1"));
    let dropped = 0;
    for (const socket of sockets) socket.on("close", () => (dropped += 1)).on("error", () => {});
    await expect.poll(() => dropped).toBe(12);
    sockets.forEach((socket) => socket.destroy());
    await expect.poll(() => dropped).toBe(140);
    await expect.poll(() => get(`http://127.0.0.1:${port()}/after`)).toContain("GET /after");
  });

  const fragment = fc.oneof(
    fc.constantFrom("GET ", "POST ", "CONNECT ", "http://", "OWN", "evil.org:80", " HTTP/1.1\r\n"),
    fc.constantFrom("Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "Upgrade: x\r\n"),
    fc.constantFrom(
      "Connection: upgrade\r\n",
      "Expect: 100-continue\r\n",
      "\r\n",
      "5\r\nhello\r\n",
    ),
    fc.constant("GET http://OWN/ HTTP/1.1\r\n\r\n"),
    fc.constant("CONNECT OWN HTTP/1.1\r\n\r\n"),
    fc.string(),
  );
  property.prop([fc.array(fragment, { maxLength: 12 }), fc.nat(3)], { numRuns: 200 })(
    "survives any input and any disconnect",
    async (fragments, patience) => {
      if (proxy === undefined) await open([`127.0.0.1:${port()}`]);
      const bytes = fragments.join("").replaceAll("OWN", `127.0.0.1:${port()}`);
      const socket = connect({ port: proxy!.port, host: "127.0.0.1" }).on("error", () => {});
      socket.resume().write(bytes);
      for (let turn = 0; turn < patience; turn += 1) await new Promise(setImmediate);
      if (patience === 3) socket.resetAndDestroy();
      else socket.destroy();
      expect(await get(`http://127.0.0.1:${port()}/alive`)).toContain("GET /alive");
    },
  );

  test("ends every connection when it is closed, including pending ones", async () => {
    await using silent = createTcpServer();
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    await open([`127.0.0.1:${portOf(silent)}`]);
    const asked = once(silent, "connection");
    const tunnel = answerTo(`CONNECT 127.0.0.1:${portOf(silent)} HTTP/1.1\r\n\r\n`);
    const [upstream] = await asked;
    const ended = once(upstream.resume(), "close");
    await proxy!.close();
    await Promise.all([tunnel.catch(() => {}), ended, proxy!.close()]);
    await expect(get("http://127.0.0.1/")).rejects.toThrow("ECONNREFUSED");
  });
});
