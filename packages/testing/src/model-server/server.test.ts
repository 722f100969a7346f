import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { startModelServer } from "./server.ts";

const chat = "/v1/chat/completions";

function ask(url: string, text: string, signal?: AbortSignal): Promise<Response> {
  return fetch(url + chat, {
    method: "POST",
    body: JSON.stringify({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: text }],
    }),
    ...(signal && { signal }),
  });
}

describe("the model server", () => {
  test("listens on 127.0.0.1 only", async () => {
    await using server = await startModelServer({ script: [] });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4");
    const outcomes = others.map(async ({ address }) => {
      const socket = connect({ host: address, port: server.port });
      const [error] = (await once(socket, "error").catch((thrown: unknown) => [thrown])) as [Error];
      return (error as NodeJS.ErrnoException).code;
    });
    expect((await Promise.all(outcomes)).every((code) => code === "ECONNREFUSED")).toBe(true);
  });

  test("reports why it can't start on a port in use", async () => {
    await using first = await startModelServer({ script: [] });
    await expect(startModelServer({ script: [], port: first.port })).rejects.toThrow("EADDRINUSE");
  });

  test("closes every socket, in any state, and may be closed twice", async () => {
    const server = await startModelServer({
      script: [
        { trouble: { kind: "hang", beforeHeaders: true } },
        { parts: [{ type: "text", text: "abc" }], trouble: { kind: "hang", afterChunks: 1 } },
        { delayMs: 600_000 },
        { parts: [{ type: "text", text: "abc" }], chunkLength: 1, chunkDelayMs: 600_000 },
      ],
    });
    const idle = connect({ host: "127.0.0.1", port: server.port });
    await once(idle, "connect");
    const closed = once(
      idle.on("error", () => {}),
      "close",
    );
    const asked = [];
    for (const number of [1, 2, 3, 4]) {
      asked.push(ask(server.url, "x").then((response) => response.text()));
      await server.whenRequested(number);
    }
    const outcomes = Promise.allSettled(asked);
    await Promise.all([server.close(), server.close()]);
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    await closed;
    const endings = await Promise.all(server.requests.map(({ ended }) => ended));
    expect(endings).toEqual(Array(4).fill("client-gone"));
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  });

  test("tells a waiting test that the request did not come", async () => {
    const server = await startModelServer({ script: ["Hi"] });
    const second = server.whenRequested(2);
    await (await ask(server.url, "first")).text();
    await server.close();
    await expect(second).rejects.toThrow("closed before request 2 came");
  });

  test("returns a request to a test as soon as it arrives, and again later", async () => {
    await using server = await startModelServer({ script: ["Hi"] });
    const coming = server.whenRequested(1);
    await (await ask(server.url, "first")).text();
    expect((await coming).userText).toBe("first");
    expect(await server.whenRequested(1)).toBe(await coming);
  });

  test("notices a client that disconnects during a chunk delay", async () => {
    await using server = await startModelServer({
      script: [
        { parts: [{ type: "text", text: "abc" }], chunkLength: 1, chunkDelayMs: 600_000 },
        "next",
      ],
    });
    const leaving = new AbortController();
    await ask(server.url, "x", leaving.signal);
    leaving.abort();
    expect(await server.requests[0]?.ended).toBe("client-gone");
    expect(await (await ask(server.url, "y")).text()).toContain("next");
  });

  test("notices a client that disconnects after it stopped reading", async () => {
    const text = "x".repeat(32 * 1024 * 1024);
    await using server = await startModelServer({
      script: [{ parts: [{ type: "text", text }], chunkLength: 64 * 1024 }],
    });
    const body = '{"model":"m","stream":true,"messages":[]}';
    const socket = connect({ host: "127.0.0.1", port: server.port });
    socket.write(
      `POST ${chat} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    socket.once("data", () => socket.pause());
    const { ended } = await server.whenRequested(1);
    expect(await Promise.race([ended, once(socket, "pause").then(() => "stuck")])).toBe("stuck");
    socket.destroy();
    expect(await ended).toBe("client-gone");
  });

  test("waits between chunks, and before the headers", async () => {
    await using server = await startModelServer({
      script: [
        { parts: [{ type: "text", text: "abcd" }], chunkLength: 1, chunkDelayMs: 20, delayMs: 40 },
      ],
    });
    const start = performance.now();
    const response = await ask(server.url, "x");
    // Timers may fire a millisecond early on another clock.
    expect(performance.now() - start).toBeGreaterThan(38);
    await response.text();
    expect(performance.now() - start).toBeGreaterThan(38 + 57);
  });

  test("answers many requests at once, each server separately", async () => {
    const servers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => startModelServer({ script: () => `I am ${at}` })),
    );
    const heard = await Promise.all(
      servers.flatMap(({ url }, at) =>
        [1, 2, 3].map(async () =>
          (await (await ask(url, "who?")).text()).includes(`"content":"I am ${at}"`),
        ),
      ),
    );
    expect(heard).toEqual(Array(60).fill(true));
    await Promise.all(servers.map((server) => server.close()));
  });

  test("survives a script that throws, and reports it", async () => {
    await using server = await startModelServer({
      script: () => {
        throw new Error("no idea");
      },
    });
    const response = await ask(server.url, "x");
    expect(response.status).toBe(500);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.text()).toContain("script of the model server threw: Error: no idea");
  });

  test("reports a reply that can't be played", async () => {
    const script = [{ trouble: { kind: "http-error", status: 99 } } as const, "Hi"];
    await using server = await startModelServer({ script });
    const response = await ask(server.url, "x");
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("The reply of the script can't be played: RangeError");
    expect(await (await ask(server.url, "y")).text()).toContain("Hi");
  });

  test("notices a client that disconnects while the script decides", async () => {
    const { promise: never } = Promise.withResolvers<string>();
    const server = await startModelServer({ script: () => never });
    const leaving = new AbortController();
    const lost = ask(server.url, "x", leaving.signal).catch(String);
    const first = await server.whenRequested(1);
    leaving.abort();
    expect(await lost).toContain("aborted");
    expect(await first.ended).toBe("client-gone");
    const failed = ask(server.url, "y").catch(String);
    const second = await server.whenRequested(2);
    await server.close();
    expect(await failed).toContain("fetch failed");
    expect(await second.ended).toBe("client-gone");
  });

  test("records the last thousand requests", async () => {
    await using server = await startModelServer({ script: () => "Hi" });
    for (let number = 1; number <= 1_005; number += 1) {
      const response = await fetch(server.url + chat, {
        method: "POST",
        body: '{"model":"m","messages":[]}',
      });
      await response.text();
    }
    expect(server.requests).toHaveLength(1_000);
    expect(server.requests[0]?.number).toBe(6);
    expect(server.requests.at(-1)?.number).toBe(1_005);
  });

  test.each([
    "/nothing/here",
    "/%E0%A4%A",
    "/v1/models/%E0%A4%A",
    "/v1beta/models/%zz:countTokens",
    "//",
  ])("survives the path %s", async (path) => {
    await using server = await startModelServer({ script: ["Hi"] });
    const response = await fetch(server.url + path, { method: "POST", body: "{}" });
    expect([400, 404]).toContain(response.status);
    expect(await response.text()).toContain("The model server");
    expect(await (await ask(server.url, "x")).text()).toContain("Hi");
  });

  test("survives input that is not HTTP", async () => {
    await using server = await startModelServer({ script: ["Hi"] });
    const socket = connect({ host: "127.0.0.1", port: server.port });
    socket.on("error", () => {}).end("\u0000\u0001garbage\r\n\r\n");
    await once(socket.resume(), "close");
    expect(await (await ask(server.url, "x")).text()).toContain("Hi");
  });
});

describe("the model lists", () => {
  const models = ["model-a", "vendor/model b"];
  const get = async (url: string, headers: Record<string, string> = {}): Promise<unknown> =>
    (await fetch(url, { headers })).json();

  test("are in the form of the requested provider", async () => {
    await using server = await startModelServer({ script: [], models });
    const { url } = server;
    expect(await get(`${url}/v1/models`)).toMatchObject({
      object: "list",
      data: models.map((id) => ({ id, object: "model" })),
    });
    const version = { "anthropic-version": "2023-06-01" };
    expect(await get(`${url}/v1/models?limit=100`, version)).toMatchObject({
      data: models.map((id) => ({ id, type: "model", display_name: id })),
      has_more: false,
      first_id: "model-a",
      last_id: "vendor/model b",
    });
    expect(await get(`${url}/v1beta/models`)).toMatchObject({
      models: models.map((id) => ({ name: `models/${id}` })),
    });
    expect(await get(`${url}/api/tags`)).toMatchObject({
      models: models.map((name) => ({ name, model: name })),
    });
    expect(await get(`${url}/api/version`)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
    });
    const shown = await fetch(`${url}/api/show`, { method: "POST", body: '{"model":"model-a"}' });
    expect(await shown.json()).toMatchObject({ capabilities: ["completion", "tools", "thinking"] });
  });

  test("return one model by name, and an error for an unknown name", async () => {
    await using server = await startModelServer({ script: [], models });
    const { url } = server;
    expect(await get(`${url}/v1/models/model-a`)).toMatchObject({ id: "model-a", object: "model" });
    const escaped = encodeURIComponent("vendor/model b");
    expect(await get(`${url}/v1/models/${escaped}`)).toMatchObject({ id: "vendor/model b" });
    const version = { "anthropic-version": "2023-06-01" };
    expect(await get(`${url}/v1/models/model-a`, version)).toMatchObject({ type: "model" });
    expect(await get(`${url}/v1beta/models/model-a`)).toMatchObject({ name: "models/model-a" });
    expect((await fetch(`${url}/v1/models/model-z`)).status).toBe(404);
  });

  test("counting tokens uses no reply of the script", async () => {
    await using server = await startModelServer({ script: ["Hi"] });
    const response = await fetch(`${server.url}/v1/messages/count_tokens`, {
      method: "POST",
      body: JSON.stringify({ model: "m", messages: [] }),
    });
    expect(await response.json()).toEqual({ input_tokens: 7 });
    expect(server.requests).toHaveLength(0);
  });
});
