import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { limitsOf } from "@landline/protocol";
import { GatewayProcess } from "../kill/gateway-process.ts";
import { TestGateway, type TestGatewayOptions } from "./test-gateway.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
});

async function start(options: TestGatewayOptions): Promise<TestGateway> {
  const gateway = await TestGateway.start(options);
  opened.push(gateway);
  return gateway;
}

interface Reached {
  readonly port: number;
}

async function tryWith({ port }: Reached, token: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/api/health`, {
    headers: { authorization: `Bearer ${token}` },
  });
}

async function guesses(test: Reached, count: number): Promise<number[]> {
  const all = Array.from({ length: count }, (_, number) => tryWith(test, `guess-${number}`));
  return (await Promise.all(all)).map(({ status }) => status);
}

/** No real delays in these tests; the clock below measures them. */
const quick = { wrongTokenDelayMs: 1, wrongTokenDelayMsMax: 2 };

describe("wrong tokens", () => {
  it("are refused, then blocked by address, with a metric and a line in the log", async () => {
    await using test = await GatewayProcess.make({}, quick);
    await test.start();
    const reached = { port: test.network.target ?? 0 };
    const statuses = await guesses(reached, 300);
    const { wrongTokensBlocked } = limitsOf("default");
    expect(statuses.filter((status) => status === 401)).toHaveLength(wrongTokensBlocked - 1);
    expect(statuses.filter((status) => status === 429)).toHaveLength(300 - wrongTokensBlocked + 1);
    const headers = { authorization: `Bearer ${test.token}` };
    const metrics = await fetch(`http://127.0.0.1:${reached.port}/metrics`, { headers });
    const text = await metrics.text();
    expect(text).toMatch(/landline_wrong_tokens_total\{outcome="refused"\} 5\b/);
    expect(text).toMatch(/landline_wrong_tokens_total\{outcome="slowed"\} \d+/);
    expect(text).toMatch(/landline_wrong_tokens_total\{outcome="blocked"\} 281\b/);
    await test.untilStderr((stderr) => stderr.includes('"level":"warn"'));
    const warnings = test.complaints().map((line) => JSON.parse(line) as object);
    expect(warnings).toMatchObject([
      { message: expect.stringContaining("blocked") as string, address: "127.0.0.1" },
    ]);
    expect(test.stderr).not.toContain("guess-1");
  });

  it("do not block a valid token, even from a blocked address", async () => {
    const test = await start({ limits: quick });
    await guesses(test, 50);
    expect((await tryWith(test, "guess")).status).toBe(429);
    expect((await tryWith(test, test.token)).status).toBe(200);
    const { token } = await test.tokenOf("watch");
    expect((await tryWith(test, token)).status).toBe(200);
    expect((await tryWith(test, "guess")).status).toBe(429);
  });

  it("report the wait, and not the tried token", async () => {
    const test = await start({ limits: quick });
    await guesses(test, 50);
    const answer = await tryWith(test, "my-guess");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(60);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ code: "rate-limited", limit: "wrongTokensBlocked" });
    expect(text).not.toContain("my-guess");
  });

  it("count at the socket and where keys are registered, too", async () => {
    const test = await start({
      limits: { ...quick, wrongTokensFree: 1, wrongTokensBlocked: 3 },
    });
    const address = `127.0.0.1:${test.port}`;
    const upgrade = async () => {
      const socket = new WebSocket(`ws://${address}/ws?token=wrong`);
      const [error] = (await once(socket, "error")) as [Error];
      return error.message;
    };
    expect(await upgrade()).toContain("401");
    const register = async () => {
      const headers = { authorization: "Bearer wrong" };
      return (await fetch(`http://${address}/access/keys`, { method: "POST", headers })).status;
    };
    expect(await register()).toBe(401);
    expect(await upgrade()).toContain("429");
    expect(await register()).toBe(429);
    const socket = new WebSocket(`ws://${address}/ws?token=${test.token}`);
    await once(socket, "open");
    socket.close();
  });

  it("are not counted when no token was sent", async () => {
    const test = await start({ limits: { ...quick, wrongTokensBlocked: 3 } });
    for (let count = 0; count < 10; count++) {
      expect((await fetch(`http://127.0.0.1:${test.port}/api/health`)).status).toBe(401);
    }
  });
});

describe("a connection without authentication", () => {
  const idle = { strangerIdleMs: 100, keepAliveMs: 60_000, headersMs: 60_000 };

  it.each([
    ["says nothing", ""],
    ["sends half a request", "GET / HTTP/1.1\r\nHost: 127.0"],
    ["was refused", "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    [
      "sends a body that is not read",
      "POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{",
    ],
  ])("and which %s is dropped", async (_what, text) => {
    const { port } = await start({ limits: idle });
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => {});
    socket.resume();
    socket.write(text);
    await once(socket, "close");
    expect(socket.destroyed).toBe(true);
  });

  it("is not one that has authenticated", async () => {
    const { port, token } = await start({ limits: { ...idle, strangerIdleMs: 2_000 } });
    const known = connect({ host: "127.0.0.1", port });
    const closed = once(known, "close").then(() => "closed");
    known.write(
      `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    const answer = once(known, "data").then(() => "answered");
    expect(await Promise.race([answer, closed])).toBe("answered");
    // A later idle connection is dropped meanwhile.
    const stranger = connect({ host: "127.0.0.1", port });
    stranger.resume();
    await once(stranger, "close");
    expect(await Promise.race([closed, Promise.resolve("open")])).toBe("open");
    known.destroy();
  });
});
