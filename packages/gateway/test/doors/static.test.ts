import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Addresses } from "../../src/doors/address.ts";
import type { DoorEnvironment } from "../../src/doors/context.ts";
import { EventStreams } from "../../src/doors/events.ts";
import { asLandlineError, problemResponse } from "../../src/doors/problem.ts";
import { ratesOf } from "../../src/doors/rates.ts";
import { addPageRoutes } from "../../src/doors/static.ts";
import { openTestDoors, type TestDoors } from "./door-services.ts";

let test: TestDoors;
let app: Hono<DoorEnvironment>;

beforeEach(async () => {
  test = await openTestDoors();
  const { services, doors, folder } = test;
  const built = join(folder, "dist");
  await mkdir(join(built, "assets"), { recursive: true });
  await writeFile(join(built, "index.html"), "<p>the chat</p>");
  await writeFile(join(built, "assets", "main-abcdef12.js"), "run()");
  await writeFile(join(folder, "secret.txt"), "secret");
  await symlink(join(folder, "secret.txt"), join(built, "leak.txt"));
  app = new Hono<DoorEnvironment>();
  app.onError((error) => problemResponse(asLandlineError(error)));
  const context = {
    services,
    auth: doors.auth,
    addresses: new Addresses(services.address),
    rates: ratesOf(services),
    streams: new EventStreams(services),
    closing: new AbortController().signal,
  };
  addPageRoutes(app, context, built);
});
afterEach(async () => {
  await test[Symbol.asyncDispose]();
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.request(`http://localhost${path}`, {
    headers: { authorization: `Bearer ${test.token}`, ...headers },
  });

describe("the chat's files", () => {
  it("are the page at / and at addresses of its own", async () => {
    for (const path of ["/", "/sessions/123"]) {
      const answer = await get(path, { accept: "text/html" });
      expect(await answer.text()).toBe("<p>the chat</p>");
      expect(answer.headers.get("content-security-policy")).toContain("script-src 'self'");
      expect(answer.headers.get("cache-control")).toBe("no-cache");
    }
  });

  it("want a token for the page, and none for code", async () => {
    expect((await get("/", { authorization: "" })).status).toBe(401);
    const script = await get("/assets/main-abcdef12.js", { authorization: "" });
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect(await script.text()).toBe("run()");
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
  ])("end at their folder: %s", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain("secret\n");
  });
});
