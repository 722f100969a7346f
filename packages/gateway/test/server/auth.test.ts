import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestGateway } from "./test-gateway.ts";

let test: TestGateway;
let host: string;
beforeEach(async () => {
  const address = { basePath: "", hosts: [], origins: ["https://chat.example"] };
  test = await TestGateway.start({ address, limits: quick });
  host = `localhost:${test.port}`;
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Wrong tokens cause no delay here. */
const quick = { wrongTokenDelayMs: 1, wrongTokenDelayMsMax: 1, wrongTokensBlocked: 1_000 };

const send = ({ path = "/api/health", method = "GET", headers = {} }: Sent) =>
  test.ask(path, { method, headers: { host, authorization: "", ...headers } });

const bearer = () => ({ authorization: `Bearer ${test.token}` });
const cookie = () => ({ cookie: `other=1; landline_${test.port}=${test.token}` });

describe("without a valid token", () => {
  it("nothing is accessible", async () => {
    const session = await test.recorded();
    const one = `/api/sessions/${session.id}`;
    const paths = [
      "/api/health",
      "/api/agents",
      "/api/sessions",
      one,
      `${one}/events`,
      `${one}/export`,
    ];
    const more = [
      "/api/search?q=x",
      "/api/rules",
      "/api/audit",
      "/api/files",
      "/api/openapi.json",
      "/metrics",
      "/api/nothing",
    ];
    for (const path of [...paths, ...more]) {
      const answer = await send({ path });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(await answer.json()).toMatchObject({ code: "unauthorized" });
    }
  });

  it.each([
    "Bearer wrong",
    "Bearer ",
    "Bearer",
    "Basic TOKEN",
    "TOKEN",
    "Bearer TOKEN extra",
    "Bearer TOKENx",
    "Bearer TOKEN,TOKEN",
  ])("such as Authorization: %s", async (authorization) => {
    const headers = { authorization: authorization.replaceAll("TOKEN", test.token) };
    expect((await send({ headers: { ...cookie(), ...headers } })).status).toBe(401);
  });

  it("a token in the URL is accepted on /ws only", async () => {
    expect((await send({ path: `/api/health?token=${test.token}` })).status).toBe(401);
  });

  it("the error contains neither a stack nor the token", async () => {
    const answer = await send({ headers: { authorization: "Bearer my-secret-guess" } });
    const text = await answer.text();
    expect(text).not.toContain("my-secret-guess");
    expect(text).not.toMatch(/\bat .*:\d+/);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });
});

describe("with a token", () => {
  it("is accepted, but not as a cookie", async () => {
    expect((await send({ headers: bearer() })).status).toBe(200);
    expect((await send({ headers: cookie() })).status).toBe(401);
  });

  it("is refused once it is revoked", async () => {
    const phone = await test.tokenOf("control");
    const headers = { authorization: `Bearer ${phone.token}` };
    expect((await send({ headers })).status).toBe(200);
    await test.revoke(phone);
    expect((await send({ headers })).status).toBe(401);
  });

  it("with the role watch can read and cannot act", async () => {
    const { token } = await test.tokenOf("watch");
    const headers = { authorization: `Bearer ${token}` };
    const session = await test.recorded();
    const one = `/api/sessions/${session.id}`;
    for (const path of ["/api/sessions", one, `${one}/export`, "/api/rules"]) {
      expect((await send({ path, headers })).status).toBe(200);
    }
    const acts = [
      ["POST", "/api/sessions"],
      ["PATCH", one],
      ["DELETE", one],
      ["POST", `${one}/prompts`],
      ["PATCH", `${one}/prompts/p`],
      ["DELETE", `${one}/prompts/p`],
      ["POST", `${one}/cancel`],
      ["POST", `${one}/asks/a`],
      ["POST", `${one}/mode`],
      ["POST", `${one}/config`],
      ["POST", `${one}/fork`],
      ["POST", "/api/rules"],
      ["DELETE", "/api/rules/r"],
    ] as const;
    for (const [method, path] of acts) {
      const answer = await send({ method, path, headers });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
    expect(session.log.head).toBe(1);
  });
});

describe("another site", () => {
  it("is refused by its Host header, with any token", async () => {
    for (const path of ["/api/health", "/", "/nothing"]) {
      const answer = await send({ path, headers: { ...bearer(), host: "evil.example" } });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });

  it("is refused by its origin", async () => {
    for (const origin of ["https://evil.example", "null"]) {
      const answer = await send({ headers: { ...bearer(), origin } });
      expect(await answer.json()).toMatchObject({ code: "forbidden" });
    }
  });

  it("is accepted from an origin in the config", async () => {
    const headers = { ...bearer(), origin: "https://chat.example" };
    expect((await send({ headers })).status).toBe(200);
  });
});

describe("the cookie of an earlier version", () => {
  const trade = (headers: Readonly<Record<string, string>>) =>
    send({ method: "POST", path: "/access/keys", headers: { ...cookie(), ...headers } });

  it("is exchanged for a key, only by the gateway's own page", async () => {
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await trade(headers)).status;
    expect(await status({ origin: `http://${host}` })).toBe(201);
    expect(await status({ "sec-fetch-site": "same-origin" })).toBe(201);
    expect(await status({})).toBe(403);
    expect(await status({ origin: "http://localhost:5173" })).toBe(403);
    expect(await status({ "sec-fetch-site": "same-site" })).toBe(403);
    expect(await status({ "sec-fetch-site": "none" })).toBe(403);
    expect(await status({ origin: "null" })).toBe(403);
  });

  it("of another port is ignored", async () => {
    const others = `landline_${test.port + 1}=${test.token}; landline=${test.token}`;
    const headers = { cookie: others, origin: `http://${host}` };
    expect((await trade(headers)).status).toBe(401);
  });

  it.each(["landline_PORT=%", "landline_PORT", "=;;="])(
    "that is invalid is ignored: %s",
    async (broken) => {
      const headers = {
        cookie: broken.replace("PORT", String(test.port)),
        origin: `http://${host}`,
      };
      expect((await trade(headers)).status).toBe(401);
    },
  );
});

describe("the page", () => {
  it("is public, and sets no cookie", async () => {
    const page = await send({ path: "/" });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Landline");
    expect(page.headers.get("set-cookie")).toBeNull();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it("moves a token of an old link behind the #, which is not sent, and does not use it", async () => {
    for (const token of [test.token, "wrong"]) {
      const answer = await send({ path: `/?token=${token}` });
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe(`/#token=${token}`);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });
});

describe("behind a proxy", () => {
  it("everything is below the base path, and nothing outside it", async () => {
    await using proxied = await TestGateway.start({
      address: { basePath: "/line", hosts: ["box.example"], origins: ["https://box.example"] },
    });
    const headers = { host: "box.example" };
    const status = async (path: string) => (await proxied.ask(path, { headers })).status;
    expect(await status("/line/api/health")).toBe(200);
    expect(await status("/line/")).toBe(200);
    expect(await status("/line")).toBe(308);
    expect(await status("/api/health")).toBe(404);
    expect(await status("/")).toBe(404);
    expect(await status("/lineage/api/health")).toBe(404);
    const page = await proxied.ask(`/line/?token=${proxied.token}`, { headers });
    expect(page.headers.get("location")).toBe(`/line/#token=${proxied.token}`);
    const answer = await proxied.ask("/elsewhere", { headers });
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("an upgrade", () => {
  /** The status of a WebSocket upgrade with these headers. */
  async function upgrade(port: number, path: string, headers: Readonly<Record<string, string>>) {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect({ host: "127.0.0.1", port });
    socket.setEncoding("latin1");
    socket.on("data", resolve);
    socket.on("error", () => {});
    const lines = Object.entries({
      host: `127.0.0.1:${port}`,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    const answer = await promise;
    socket.destroy();
    return answer.slice(9, 12);
  }

  it("has the requirements of every request", async () => {
    const { port, token } = test;
    const own = { origin: `http://127.0.0.1:${port}` };
    const jar = { cookie: `landline_${port}=${token}` };
    const beside = { "sec-websocket-protocol": `landline.v1, token.${token}` };
    const status = (path: string, headers: Readonly<Record<string, string>>) =>
      upgrade(port, path, headers);
    expect(await status("/ws", {})).toBe("401");
    expect(await status("/ws?token=wrong", {})).toBe("401");
    expect(await status("/ws", { "sec-websocket-protocol": "landline.v1, token.wrong" })).toBe(
      "401",
    );
    expect(await status(`/ws?token=${token}`, {})).toBe("101");
    expect(await status("/ws", beside)).toBe("101");
    expect(await status("/ws", { ...beside, origin: "http://localhost:5173" })).toBe("101");
    expect(await status("/ws", { ...beside, origin: "https://evil.example" })).toBe("403");
    expect(await status("/ws", { ...beside, host: "evil.example" })).toBe("403");
    // No cookie authenticates.
    expect(await status("/ws", { ...jar, ...own })).toBe("401");
    expect(await status("/ws", jar)).toBe("401");
    expect(await status(`/elsewhere?token=${token}`, {})).toBe("404");
  });
});
