import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { createMetrics } from "../../telemetry/metrics.ts";
import type { Services } from "../services.ts";
import { AcpHttpConnection } from "./http-connection.ts";

const limits = limitsOf("default", { acpIdleMs: 1_000 });

function connectionAt(now: () => number): AcpHttpConnection {
  const services = { limits, metrics: createMetrics() } as unknown as Services;
  const principal = { clientId: "c", tokenId: "t", role: "control" } as const;
  return new AcpHttpConnection({ principal, services, agentId: "agent", now });
}

class Response extends PassThrough {
  writeHead(): void {}
}

test("a connection without a stream ends after acpIdleMs, and not before", async () => {
  let now = 0;
  const connection = connectionAt(() => now);
  let isEnded = false;
  void connection.ended.then(() => (isEnded = true));
  const response = new Response();
  connection.open(null, response as unknown as ServerResponse, {});
  now = 5_000;
  connection.beat();
  response.destroy();
  await new Promise((resolve) => response.once("close", resolve));
  now = 5_999;
  connection.beat();
  await Promise.resolve();
  expect(isEnded).toBe(false);
  now = 6_000;
  connection.beat();
  await connection.ended;
});
