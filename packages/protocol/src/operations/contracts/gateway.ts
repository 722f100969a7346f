import { z } from "zod";
import { roles, type OperationName } from "../table.ts";
import { type Contract, input } from "../contract.ts";
import { rulesDamage } from "../shapes/summary.ts";

/** The gateway itself, and who calls it. */
export const gatewayContracts = {
  health: {
    summary: "Whether the gateway is well",
    input: input({}),
    output: z.object({
      status: z.literal("ok"),
      version: z.string(),
      limits: z.enum(["default", "spec"]),
    }),
  },
  "read-features": {
    summary: "What this gateway can do, as tags for clients to look for",
    input: input({}),
    output: z.object({ version: z.string(), features: z.array(z.string()) }),
  },
  "read-openapi": {
    summary: "The OpenAPI document of the HTTP API",
    input: input({}),
    output: z.looseObject({ openapi: z.string() }),
  },
  "read-metrics": {
    summary: "Metrics for Prometheus",
    input: input({}),
    output: z.string(),
    media: ["text/plain"],
  },
  "read-me": {
    summary: "Who calls, who else has access, and where the gateway is",
    input: input({}),
    output: z.object({
      clientId: z.string().describe("Stands as `by` in events."),
      role: z.enum(roles),
      session: z.string().exactOptional().describe("The one session that the token is limited to."),
      people: z.record(z.string(), z.string()).describe("Display names by `by` id."),
      rulesDamage: rulesDamage.nullable(),
      cwd: z.string().describe("Where the gateway was started."),
      home: z.string(),
      version: z.string(),
    }),
  },
} as const satisfies Partial<Record<OperationName, Contract>>;
