import type { ConnectionSnapshot } from "@landline/client";
import { expect, test } from "vitest";
import { connectionText } from "./connection-text.ts";
import { pageTitle } from "./page-title.ts";

const online: ConnectionSnapshot = {
  state: "online",
  via: "websocket",
  since: 0,
  retryAt: null,
  error: null,
};

test("a working connection has no text, whatever the transport", () => {
  expect(connectionText(online, 0, 0)).toBeNull();
  expect(connectionText({ ...online, via: "sse" }, 0, 0)).toBeNull();
});

test("offline counts down, and can be retried at once", () => {
  const offline = { ...online, state: "offline", via: null, retryAt: 10_000 } as const;
  expect(connectionText(offline, 5_400, 9_000)).toMatchObject({
    text: "Offline. Trying again in 5 s.",
    canTry: true,
  });
  expect(connectionText(offline, 10_001, 9_000)?.text).toBe("Offline. Trying again…");
});

test("a later attempt is not described as the first one", () => {
  const connecting = { ...online, state: "connecting", via: null } as const;
  expect(connectionText(connecting, 0, 1_000)?.text).toBe("Connecting…");
  expect(connectionText(connecting, 0, 60_000)?.text).toBe("Offline. Trying again…");
});

test("titles", () => {
  expect(pageTitle("Fix it", 2)).toBe("(2) Fix it · Landline");
  expect(pageTitle("Fix it", 0)).toBe("Fix it · Landline");
  expect(pageTitle(null, 1)).toBe("(1) Landline");
});
