import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "@landline/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { say, sees } from "./page-actions.ts";

// A service worker needs a certificate that the browser trusts.
const stage = useStage(["--ignore-certificate-errors"]);
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-https-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("the page works over HTTPS: HTTP/2 for files and requests, and a WebSocket", async () => {
  const gateway = await stage().gateway({
    agents: { scripted: scenario("work") },
    certificate: await makeCertificate(folder),
  });
  const page = await stage().page(gateway);
  const sockets: string[] = [];
  page.on("websocket", (socket) => sockets.push(socket.url()));
  const opened = await page.request.post(`${gateway.origin}/api/sessions`, {
    headers: { authorization: `Bearer ${gateway.token}` },
    data: { agent: "scripted", cwd: gateway.project },
  });
  const { sessionId } = (await opened.json()) as { sessionId: string };
  await page.goto(`${gateway.origin}/#/s/${sessionId}`);
  await page.reload();
  await say(page, "Why can the login be guessed?");
  await sees(page, "Three things are wrong there:");
  expect(sockets.length).toBeGreaterThan(0);
  expect(sockets.every((url) => url.startsWith("wss://"))).toBe(true);
  const seen = await page.evaluate(() => ({
    isSecure: isSecureContext,
    protocols: [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource"),
    ]
      .map((entry) => (entry as PerformanceResourceTiming).nextHopProtocol)
      .filter((protocol) => protocol !== ""),
  }));
  expect(seen.isSecure).toBe(true);
  expect(new Set(seen.protocols)).toEqual(new Set(["h2"]));
});
