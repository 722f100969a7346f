import type { webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTokens } from "../../src/server/tokens.ts";
import { TestGateway } from "./test-gateway.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const;
let test: TestGateway;
let host: string;
let origin: string;
beforeEach(async () => {
  test = await TestGateway.start({ limits: { wrongTokenDelayMs: 1, wrongTokenDelayMsMax: 1 } });
  host = `localhost:${test.port}`;
  origin = `http://${host}`;
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  test.ask(path, { method: "POST", headers: { host, authorization: "", ...headers }, body });

/** What a page does. */
class Page {
  keyId = "";
  readonly pair: webcrypto.CryptoKeyPair;

  constructor(pair: webcrypto.CryptoKeyPair) {
    this.pair = pair;
  }

  static async open(): Promise<Page> {
    return new Page(await crypto.subtle.generateKey(algorithm, false, ["sign"]));
  }

  async register(headers: Record<string, string>): Promise<Response> {
    const spki = await crypto.subtle.exportKey("spki", this.pair.publicKey);
    const publicKey = Buffer.from(spki).toString("base64url");
    const answer = await post("/access/keys", { publicKey }, headers);
    this.keyId = ((await answer.clone().json()) as { keyId: string }).keyId;
    return answer;
  }

  async sign(changes: Partial<Record<"keyId" | "challenge" | "origin", string>> = {}) {
    const { challenge } = (await (await post("/access/challenge", {})).json()) as {
      challenge: string;
    };
    const signed = { keyId: this.keyId, challenge, origin, ...changes };
    const text = `landline access\n${origin}\n${this.keyId}\n${challenge}`;
    const bytes = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      this.pair.privateKey,
      new TextEncoder().encode(text),
    );
    return { ...signed, signature: Buffer.from(bytes).toString("base64url") };
  }

  async token(): Promise<string> {
    const answer = await post("/access/token", await this.sign());
    return ((await answer.json()) as { token: string }).token;
  }
}

const statusWith = async (token: string) =>
  (await test.ask("/api/me", { headers: { authorization: `Bearer ${token}` } })).status;

const bearer = () => ({ authorization: `Bearer ${test.token}` });

describe("a page", () => {
  it("registers a key with the token of its link, and authenticates with signatures", async () => {
    const page = await Page.open();
    expect((await page.register(bearer())).status).toBe(201);
    const token = await page.token();
    expect(await statusWith(token)).toBe(200);
    const me = await test.ask("/api/me", { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ clientId: await test.clientId(), role: "admin" });
    const text = await readFile(join(test.data, "tokens.json"), "utf8");
    expect(text).not.toContain(token);
    expect(text).not.toContain(test.token);
  });

  it("cannot use a signature twice, for another key, or for another page", async () => {
    const page = await Page.open();
    await page.register(bearer());
    const other = await Page.open();
    await other.register(bearer());
    const signed = await page.sign();
    expect((await post("/access/token", signed)).status).toBe(200);
    expect((await post("/access/token", signed)).status).toBe(401);
    for (const wrong of [
      await page.sign({ keyId: other.keyId }),
      await page.sign({ keyId: "nobody" }),
      await page.sign({ challenge: "a.b.c" }),
      await page.sign({ origin: "http://localhost:9999" }),
      { ...(await page.sign()), signature: "" },
    ])
      expect((await post("/access/token", wrong)).status).toBe(401);
    const evil = await page.sign({ origin: "https://evil.example" });
    expect((await post("/access/token", evil)).status).toBe(403);
  });

  it("loses access immediately when its token is revoked", async () => {
    const phone = await test.addToken({ name: "Phone", role: "watch" });
    const page = await Page.open();
    await page.register({ authorization: `Bearer ${phone.token}` });
    const token = await page.token();
    expect(await statusWith(token)).toBe(200);
    await test.revoke(phone);
    expect(await statusWith(token)).toBe(401);
    expect((await post("/access/token", await page.sign())).status).toBe(401);
  });

  it("registers the same key only once", async () => {
    const page = await Page.open();
    await page.register(bearer());
    const again = await post("/access/keys", { keyId: page.keyId }, bearer());
    expect([again.status, await again.json()]).toEqual([200, { keyId: page.keyId }]);
  });

  it("gets a secret without WebCrypto, which is stored as a hash", async () => {
    const answer = await post("/access/keys", {}, bearer());
    const { secret } = (await answer.json()) as { secret: string };
    expect(await statusWith(secret)).toBe(200);
    expect(await readFile(join(test.data, "tokens.json"), "utf8")).not.toContain(secret);
  });

  it("exchanges the cookie of an earlier version for a key, and the sign-in deletes the cookie", async () => {
    const page = await Page.open();
    const headers = { cookie: `landline_${test.port}=${test.token}`, origin };
    const registered = await page.register(headers);
    expect([registered.status, registered.headers.get("set-cookie")]).toEqual([201, null]);
    const signedIn = await post("/access/token", await page.sign(), headers);
    expect(signedIn.headers.get("set-cookie")).toContain(
      `landline_${test.port}=; Path=/; Max-Age=0`,
    );
    const { token } = (await signedIn.json()) as { token: string };
    expect(await statusWith(token)).toBe(200);
  });

  it.each([{ publicKey: "x" }, { publicKey: 7 }, ["text"], { publicKey: "A".repeat(9_000) }])(
    "is refused with the key %j",
    async (body) => {
      const answer = await post("/access/keys", body, bearer());
      expect([413, 422]).toContain(answer.status);
    },
  );

  it("needs a valid token to register", async () => {
    expect((await post("/access/keys", {})).status).toBe(401);
    expect((await post("/access/keys", {}, { authorization: "Bearer wrong" })).status).toBe(401);
  });
});

it("an expired token does not count as a guess", async () => {
  for (let count = 0; count < 50; count++)
    expect(await statusWith(`ll_access-${"x".repeat(43)}`)).toBe(401);
  expect(await (await test.ask("/metrics")).text()).not.toMatch(/^landline_wrong_tokens_total\b/m);
});

it("keys of LANDLINE_TOKEN become void when it changes", async () => {
  const path = join(test.folder, "fixed.json");
  let keyId: string;
  {
    using tokens = await openTokens(path, { fixed: "first-secret-text" });
    keyId = await tokens.addKey("environment", { publicKey: "k" });
    expect(tokens.key(keyId)).toMatchObject({ tokenId: "environment" });
  }
  using same = await openTokens(path, { fixed: "first-secret-text" });
  expect(same.key(keyId)).not.toBeNull();
  using other = await openTokens(path, { fixed: "second-secret-text" });
  expect(other.key(keyId)).toBeNull();
  using none = await openTokens(path);
  expect(none.key(keyId)).toBeNull();
  expect(await readFile(path, "utf8")).not.toContain("first-secret-text");
});

describe("a ticket", () => {
  const ticketFor = async (address: string) => {
    const answer = await test.ask("/api/tickets", { method: "POST", body: { address } });
    return { status: answer.status, ...((await answer.json()) as { ticket: string }) };
  };
  const use = async (path: string) =>
    (await test.ask(path, { headers: { authorization: "" } })).status;

  it("is valid for one download of one URL", async () => {
    const session = await test.recorded();
    const address = `/api/sessions/${session.id}/export?format=json`;
    const { ticket } = await ticketFor(address);
    expect(await use(`${address}&ticket=${ticket}`)).toBe(200);
    expect(await use(`${address}&ticket=${ticket}`)).toBe(401);
    const { ticket: other } = await ticketFor(address);
    expect(await use(`/api/sessions/${session.id}/export?format=html&ticket=${other}`)).toBe(401);
    expect(await use(`${address}&ticket=${other}`)).toBe(401);
    const { ticket: third } = await ticketFor(address);
    expect(await use(`/api/sessions?ticket=${third}`)).toBe(401);
  });

  it("is void when its token is revoked", async () => {
    const session = await test.recorded();
    const device = await test.addToken({ role: "watch" });
    const address = `/api/sessions/${session.id}/export?format=json`;
    const headers = { authorization: `Bearer ${device.token}` };
    const answer = await test.ask("/api/tickets", { method: "POST", body: { address }, headers });
    const { ticket } = (await answer.json()) as { ticket: string };
    await test.revoke(device);
    expect(await use(`${address}&ticket=${ticket}`)).toBe(401);
  });

  it("is issued for exports only", async () => {
    for (const address of [
      "/api/devices",
      "/api/sessions/x/events",
      "/api/sessions/../x/export",
      "",
    ])
      expect((await ticketFor(address)).status).toBe(422);
  });
});
