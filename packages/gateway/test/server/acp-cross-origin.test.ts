import { describe, expect, test } from "vitest";
import { initializeMessage, postTo } from "./acp-http-client.ts";
import { TestGateway } from "./test-gateway.ts";

describe("pages of other origins", () => {
  const origin = "https://editor.example";
  const address = { basePath: "", hosts: [], origins: [origin] };

  test("may use /acp if they are configured", async () => {
    await using gateway = await TestGateway.start({ address });
    const preflight = await fetch(`${gateway.url}/acp`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, acp-connection-id",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("acp-connection-id");
    const answer = await postTo(gateway, initializeMessage, { headers: { origin } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
    expect(answer.headers.get("access-control-expose-headers")).toContain("acp-connection-id");
    expect(answer.headers.get("vary")).toContain("origin");
    // Errors are readable too.
    const refused = await postTo(gateway, "{", { headers: { origin } });
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
  });

  test("may not otherwise", async () => {
    await using gateway = await TestGateway.start({ address });
    const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
    const preflight = await fetch(`${gateway.url}/acp`, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(403);
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    const own = { origin: gateway.url };
    const answer = await postTo(gateway, initializeMessage, { headers: own });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});
