import { connect } from "node:net";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

let shared: TestGateway;
beforeAll(async () => {
  shared = await TestGateway.start();
});
afterAll(() => shared[Symbol.asyncDispose]());

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

async function startWith(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await TestGateway.start(options);
  opened.push(gateway);
  return gateway;
}

/** Internal errors so far. */
const failures = (gateway: TestGateway) =>
  gateway.metric('landline_errors_total{code="internal-error"}');

/** The response until the connection ends. */
function exchange(port: number, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port });
  let received = "";
  socket.setEncoding("latin1");
  socket.on("data", (piece: string) => (received += piece));
  socket.on("error", () => {});
  socket.on("close", () => resolve(received));
  socket.write(text);
  return promise;
}

const head = (port: number, token: string) =>
  `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`;

describe("bodies", () => {
  const bodies: readonly [about: string, body: string, status: number][] = [
    ["nothing", "", 400],
    ["half an object", '{"agent":', 400],
    ["two", "{}{}", 400],
    ["a number", "7", 422],
    ["null", "null", 422],
    ["a list", "[]", 422],
    ["the wrong types", '{"agent":7,"cwd":[]}', 422],
    ["a relative folder", '{"agent":"a","cwd":"repo"}', 422],
    ["a NUL", '{"agent":"a\\u0000","cwd":"/repo"}', 422],
    ["a prototype", '{"__proto__":{"agent":"a","cwd":"/repo"}}', 422],
    ["something endless", "[".repeat(5_000), 400],
    [
      "something deep",
      `{"agent":"a","cwd":"/repo","x":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
      422,
    ],
    ["a field too long", JSON.stringify({ agent: "a".repeat(2_000), cwd: "/repo" }), 422],
  ];
  it.each(bodies)("of %s are refused with a message", async (_about, body, status) => {
    const answer = await shared.ask("/api/sessions", { method: "POST", body });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toContain("application/json");
    const problem = (await answer.json()) as { message: string; help: string };
    expect(problem.message).toMatch(/\.$/);
    expect(problem.help).not.toBe("");
    expect(await (await shared.ask("/api/sessions")).json()).toMatchObject({ sessions: [] });
    expect(await failures(shared)).toBe(0);
  });

  it("that are not UTF-8 are refused", async () => {
    const { port, token } = shared;
    const body = '{"agent":"\xff"}';
    const answer = await exchange(
      port,
      `POST /api/sessions HTTP/1.1\r\n${head(port, token)}Content-Length: ${body.length + 1}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it("that are too large are refused before they are read, and while they are read", async () => {
    const gateway = await startWith({ limits: { bodyBytes: 1_000 } });
    const { port, token } = gateway;
    const start = `POST /api/sessions HTTP/1.1\r\n${head(port, token)}`;
    const declared = await exchange(port, `${start}Content-Length: 100000000\r\n\r\n`);
    expect(declared).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `3e8\r\n${"x".repeat(1_000)}\r\n`;
    const streamed = await exchange(
      port,
      `${start}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`,
    );
    expect(streamed).toMatch(/^HTTP\/1\.1 413 /);
    const answer = await gateway.ask("/api/sessions", {
      method: "POST",
      body: "x".repeat(2_000),
    });
    expect(await answer.json()).toMatchObject({ code: "message-too-large" });
  });

  it("of operations for a watch token are small", async () => {
    const { port } = shared;
    const { token } = await shared.tokenOf("watch");
    for (const path of ["/api/tickets", "/access/keys"]) {
      const start = `POST ${path} HTTP/1.1\r\n${head(port, token)}`;
      const answer = await exchange(port, `${start}Content-Length: 10000\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    }
  });

  it("of any JSON never cause an internal error", async () => {
    const gateway = await startWith({ limits: { errorRepliesPerMinute: 100_000 } });
    const session = await gateway.open();
    const paths = ["prompts", "asks/a", "mode", "config", "cancel", "fork"].map(
      (name) => `/api/sessions/${session.id}/${name}`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("/api/sessions", "/api/rules", ...paths),
        fc.json(),
        async (path, body) => {
          expect((await gateway.ask(path, { method: "POST", body })).status).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
    expect(await failures(gateway)).toBe(0);
  });
});

describe("URLs", () => {
  it("with tricks reach no session and no file", async () => {
    const { port, token, data: folder } = shared;
    const paths = [
      "/api/sessions/..",
      "/api/sessions/%2e%2e",
      "/api/sessions/..%2f..%2ftokens.json",
      "/api/sessions/%00",
      "/api/sessions/a%0d%0aset-cookie:x",
      `/api/sessions/${"a".repeat(5_000)}`,
      "/api/sessions/%ff",
      "/api/../tokens.json",
      "/api//sessions",
      "/tokens.json",
      "//tokens.json",
      "/%2e%2e/%2e%2e/etc/passwd",
      `/..${folder}/tokens.json`,
    ];
    for (const path of paths) {
      const answer = await exchange(port, `GET ${path} HTTP/1.1\r\n${head(port, token)}\r\n`);
      expect([path, answer.slice(9, 12)]).toEqual([
        path,
        expect.stringMatching(/^4(?:0[034]|22)$/),
      ]);
      expect(answer).not.toContain("root:");
      expect(answer).not.toContain('"hash"');
      expect(answer.toLowerCase()).not.toMatch(/\r\nset-cookie:/);
    }
  });

  it("of any kind never cause an internal error", async () => {
    const gateway = await startWith({ limits: { errorRepliesPerMinute: 100_000 } });
    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
        const answer = await gateway.ask(`/api${path}?${query}`);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
    expect(await failures(gateway)).toBe(0);
  });
});

describe("the connection", () => {
  it.each([
    ["garbage", "\u0016\u0003\u0001\u0002\u0000\r\n\r\n"],
    ["no host", "GET / HTTP/1.1\r\n\r\n"],
    ["a foreign host", "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"],
    [
      "an absolute address",
      "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    ],
    ["a broken host", "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n"],
    ["another method", "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    ],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "headers without end",
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
    ],
  ])("with %s is refused and closed", async (_about, text) => {
    expect(await exchange(shared.port, text)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it("that never finishes its headers is closed", async () => {
    const { port } = await startWith({ limits: { headersMs: 200 } });
    const answer = await exchange(port, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("that never finishes its body is closed", async () => {
    const { port, token } = await startWith({ limits: { headersMs: 200, requestMs: 300 } });
    const start = `POST /api/sessions HTTP/1.1\r\n${head(port, token)}`;
    const answer = await exchange(port, `${start}Content-Length: 100\r\n\r\n{`);
    expect(answer).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/);
  });

  it("ends within the limit when the gateway closes, even if a client holds it open", async () => {
    const gateway = await startWith({ limits: { serverCloseMs: 100 } });
    const { port, token } = gateway;
    const idle = exchange(port, "");
    const half = exchange(
      port,
      `POST /api/rules HTTP/1.1\r\n${head(port, token)}Content-Length: 9\r\n\r\n{`,
    );
    const answer = await fetch(`http://127.0.0.1:${port}/api/health`);
    await answer.text();
    await gateway.close();
    expect(await idle).toBe("");
    expect(await half).not.toContain("200 OK");
    await gateway.close();
  });
});

/** How many more requests a rate allows by now. */
const refilled = (perMinute: number, startedAt: number) =>
  Math.ceil((performance.now() - startedAt) * (perMinute / 60_000)) + 1;

describe("floods", () => {
  it("of requests are refused above the rate, and other clients continue", async () => {
    const gateway = await startWith({
      limits: { requestsPerMinute: 200, errorRepliesPerMinute: 100 },
    });
    const other = { as: "watch" };
    await gateway.tokenOf("watch");
    const counts = new Map<number, number>();
    const waits: number[] = [];
    const startedAt = performance.now();
    for (let count = 0; count < 600; count++) {
      const { status, headers } = await gateway.ask("/api/health", other);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (status === 429) waits.push(Number(headers.get("retry-after")));
    }
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(counts.get(200)).toBeGreaterThanOrEqual(200);
    expect(counts.get(200)).toBeLessThanOrEqual(200 + refilled(200, startedAt));
    expect((counts.get(200) ?? 0) + (counts.get(429) ?? 0)).toBe(600);
    expect((await gateway.ask("/api/health")).status).toBe(200);
  });

  it("of wrong tokens are blocked, and do not affect valid ones", async () => {
    const limits = { errorRepliesPerMinute: 50, wrongTokenDelayMs: 1, wrongTokenDelayMsMax: 1 };
    const { port, token } = await startWith({ limits });
    const url = `http://127.0.0.1:${port}/api/health`;
    const statuses: number[] = [];
    const bodies: string[] = [];
    const startedAt = performance.now();
    for (let count = 0; count < 300; count++) {
      const answer = await fetch(url, { headers: { authorization: `Bearer guess-${count}` } });
      statuses.push(answer.status);
      bodies.push(await answer.text());
    }
    const most = 50 + refilled(50, startedAt);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(most);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(300 - most);
    expect(bodies.filter((body) => body !== "").length).toBeLessThanOrEqual(most);
    const welcome = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(welcome.status).toBe(200);
  });
});

describe("a response", () => {
  it("is data, and never rendered as a page", async () => {
    for (const path of ["/api/health", "/api/nothing", "/metrics"]) {
      const { headers } = await shared.ask(path);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });
});

describe("listening", () => {
  it("on a port in use is refused with a readable error", async () => {
    await expect(startWith({ port: shared.port })).rejects.toMatchObject({
      code: "address-unusable",
      message: expect.stringContaining("another program already listens there") as string,
    });
  });

  it("picks a free port, and reports it", async () => {
    const { port, url, token } = shared;
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const answer = await fetch(`${url}/api/health`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
  });
});
