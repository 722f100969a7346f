import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { fetchWithoutTimeout } from "./fetch-without-timeout.ts";

test("waits longer than Node's own fetch", async () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => void waiting.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const registry = Symbol.for("undici.globalDispatcher.1");
  const globals = globalThis as unknown as Record<symbol, object>;
  const usual = globals[registry]!;
  const Class = usual.constructor as new (options: object) => object;
  globals[registry] = new Class({ headersTimeout: 200 });
  try {
    const answer = fetchWithoutTimeout(url).then((response) => response.text());
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } });
    for (const response of waiting) response.end("at last");
    expect(await answer).toBe("at last");
  } finally {
    globals[registry] = usual;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
