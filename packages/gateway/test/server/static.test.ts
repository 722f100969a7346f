import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asLandlineError, limitsOf } from "@landline/protocol";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Addresses } from "../../src/server/address.ts";
import type { ServerEnvironment } from "../../src/server/context.ts";
import { problemResponse } from "../../src/server/problem.ts";
import { addPageRoutes } from "../../src/server/static.ts";

let folder: string;
let app: Hono<ServerEnvironment>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-static-"));
  const built = join(folder, "dist");
  await mkdir(join(built, "assets"), { recursive: true });
  await writeFile(join(built, "index.html"), "<p>the chat</p>");
  await writeFile(join(built, "assets", "main-abcdef12.js"), "run()");
  await writeFile(join(built, "sw.js"), "serve()");
  await writeFile(join(built, "big.svg"), "<svg/>");
  await writeFile(join(built, "big.svg.br"), "br of svg");
  await writeFile(join(built, "big.svg.gz"), "gz of svg");
  await writeFile(join(built, "manifest.webmanifest"), "{}");
  const older = join(folder, "older");
  await mkdir(join(older, "assets"), { recursive: true });
  await writeFile(join(older, "assets", "part-12345678.js"), "part()");
  await writeFile(join(older, "gone.txt"), "gone");
  await writeFile(join(folder, "secret.txt"), "secret");
  await symlink(join(folder, "secret.txt"), join(built, "leak.txt"));
  app = new Hono<ServerEnvironment>();
  app.onError((error) => problemResponse(asLandlineError(error)));
  const address = { basePath: "", hosts: [], origins: [] };
  addPageRoutes(app, {
    services: { address, limits: limitsOf("default") },
    addresses: new Addresses(address),
    pages: [built, older],
  });
});
afterEach(() => rm(folder, { recursive: true }));

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.request(`http://localhost${path}`, { headers });

describe("the files of the page", () => {
  it("are served at / and at the page's own routes", async () => {
    for (const path of ["/", "/sessions/123"]) {
      const answer = await get(path, { accept: "text/html" });
      expect(await answer.text()).toBe("<p>the chat</p>");
      expect(answer.headers.get("content-security-policy")).toContain("script-src 'self'");
      expect(answer.headers.get("cache-control")).toBe("no-cache");
    }
  });

  it("need no token, because they contain no data", async () => {
    expect((await get("/")).status).toBe(200);
    const script = await get("/assets/main-abcdef12.js");
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect(await script.text()).toBe("run()");
  });

  it.each([
    ["br, gzip;q=0.9", "br", "br of svg"],
    ["gzip, deflate", "gzip", "gz of svg"],
    ["*", "br", "br of svg"],
    ["br;q=0, gzip", "gzip", "gz of svg"],
    ["br;q=0.0, *;q=0", null, "<svg/>"],
    ["deflate", null, "<svg/>"],
    ["", null, "<svg/>"],
  ])("are encoded as the browser accepts: %j", async (accepted, encoding, text) => {
    const answer = await get("/big.svg", { "accept-encoding": accepted });
    expect(await answer.text()).toBe(text);
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(answer.headers.get("content-type")).toBe("image/svg+xml");
    expect(answer.headers.get("vary")).toBe("accept-encoding");
  });

  it("are not sent again to a client that has them", async () => {
    const first = await get("/", { accept: "text/html" });
    const etag = first.headers.get("etag")!;
    for (const known of [etag, `"other", W/${etag}`, "*"]) {
      const again = await get("/", { accept: "text/html", "if-none-match": known });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
    }
    const other = await get("/", { accept: "text/html", "if-none-match": '"other"' });
    expect(other.status).toBe(200);
    const tags = await Promise.all(
      ["br", "gzip", ""].map(async (accepted) => {
        const answer = await get("/big.svg", { "accept-encoding": accepted });
        return answer.headers.get("etag");
      }),
    );
    expect(new Set(tags).size).toBe(3);
  });

  it("are cached after the first read", async () => {
    expect(await (await get("/big.svg")).text()).toBe("<svg/>");
    await writeFile(join(folder, "dist", "big.svg"), "other");
    expect(await (await get("/big.svg")).text()).toBe("<svg/>");
    await writeFile(join(folder, "dist", "later.txt"), "later");
    expect(await (await get("/later.txt")).text()).toBe("later");
  });

  it("the service worker may control the whole page, and is revalidated each time", async () => {
    const answer = await get("/sw.js");
    expect(answer.headers.get("service-worker-allowed")).toBe("/");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    expect((await get("/big.svg")).headers.get("service-worker-allowed")).toBeNull();
    const manifest = await get("/manifest.webmanifest");
    expect(manifest.headers.get("content-type")).toBe("application/manifest+json");
  });

  it("are found in an older build for open pages of that build, and no others are", async () => {
    expect(await (await get("/assets/part-12345678.js")).text()).toBe("part()");
    expect((await get("/gone.txt")).status).toBe(404);
    expect((await get("/assets/../gone.txt")).status).toBe(404);
  });

  it("have a restrictive content security policy", async () => {
    const answer = await get("/", { accept: "text/html", host: "127.0.0.1:3001" });
    const policy = answer.headers.get("content-security-policy")!.split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain("connect-src 'self' ws://127.0.0.1:3001");
    expect(answer.headers.get("permissions-policy")).toContain("camera=()");
    expect(answer.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  });

  it.each([
    "/leak.txt",
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/assets/%2e%2e%5c..%5csecret.txt",
    "/%00secret.txt",
    "/%",
    "/assets",
    "/etc/passwd",
    "//etc/passwd",
    "/missing.js",
    "/api",
    "/api/nothing",
  ])("are limited to their folder: %s", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain("secret\n");
  });
});
