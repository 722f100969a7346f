import { failingLoads } from "@landline/testing";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { GatewayProcess } from "../kill/gateway-process.ts";

const modules = [
  "/server/listener.ts",
  "/server/socket-server.ts",
  "/server/openapi.ts",
  "/telemetry/render-metrics.ts",
  "/pino/pino.js",
];

test("a module that failed to load is loaded for the next client", async () => {
  await using gateway = await GatewayProcess.make(
    {},
    {},
    {},
    {
      environment: failingLoads(...modules),
      flags: [],
    },
  );
  await gateway.start();
  const upgrade = async (): Promise<string> => {
    const address = `ws://127.0.0.1:${gateway.network.target}/ws?token=${gateway.token}`;
    const socket = new WebSocket(address, ["landline.v1"]);
    socket.on("error", () => {});
    const outcome = await new Promise<string>((resolve) => {
      socket.on("open", () => resolve("open"));
      socket.on("close", () => resolve("closed"));
    });
    socket.terminate();
    return outcome;
  };
  expect([await upgrade(), await upgrade()]).toEqual(["closed", "open"]);
  await expect(gateway.call("GET", "/api/me")).rejects.toThrow("fetch failed");
  for (const address of ["/api/openapi.json", "/metrics"]) {
    const [failed, next] = [await gateway.call("GET", address), await gateway.call("GET", address)];
    expect([failed.status, next.status]).toEqual([500, 200]);
    // Details of internal errors are only logged.
    expect(JSON.stringify(failed)).not.toContain("EMFILE");
  }
  await gateway.untilStderr((stderr) => stderr.split("A request failed.").length === 3);
  expect(gateway.stderr).toContain("EMFILE");
});
