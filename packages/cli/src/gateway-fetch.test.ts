import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gatewayFetch } from "./gateway-fetch.ts";

const url = "http://gateway.example:3001/base";
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-fetch-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("sends a request over the socket, and streams the response", async () => {
  const socket = join(folder, "gateway.sock");
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming;
    const { host, accept } = headers;
    response.writeHead(201, { "x-said": "yes" });
    // Left open: the client ends it.
    void text(incoming).then((body) =>
      response.write(JSON.stringify({ method, path, host, accept, body })),
    );
  }).listen(socket);
  await once(server, "listening");
  const leaving = new AbortController();
  const response = await gatewayFetch({ url, socket })(`${url}/api/prompts?a=1`, {
    method: "POST",
    headers: { accept: "application/json" },
    body: "hällo",
    signal: leaving.signal,
  });
  expect([response.status, response.headers.get("x-said")]).toEqual([201, "yes"]);
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  expect(JSON.parse(new TextDecoder().decode(value))).toEqual({
    method: "POST",
    path: "/base/api/prompts?a=1",
    host: "localhost",
    accept: "application/json",
    body: "hällo",
  });
  leaving.abort();
  await expect(reader.read()).rejects.toMatchObject({ code: "ECONNRESET" });
  server.closeAllConnections();
  server.close();
});

it("names the gateway if nobody answers, and says what to do", async () => {
  const socket = join(folder, "nobody.sock");
  await expect(gatewayFetch({ url, socket })(`${url}/api/me`)).rejects.toMatchObject({
    code: "connection-lost",
    message: `The gateway at ${url} can't be reached (ENOENT).`,
    help: expect.stringContaining("landline doctor"),
  });
});

it("a cancelled request rejects with the caller's reason", async () => {
  const signal = AbortSignal.abort();
  const asked = gatewayFetch({ url, socket: join(folder, "nobody.sock") })(url, { signal });
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
});
