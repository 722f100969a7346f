import { z } from "zod";
import { roles, type OperationName } from "../table.ts";
import { type Contract, input } from "../contract.ts";
import { rulesDamage } from "../shapes/summary.ts";

/** The gateway itself, and who calls it. */
export const gatewayContracts = {
  health: {
    summary: "Health check",
    input: input({}),
    output: z.object({
      status: z.literal("ok"),
      version: z.string(),
      limits: z.enum(["default", "spec"]),
    }),
  },
  "read-features": {
    summary: "The features of this gateway, as tags",
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
    summary: "The caller, everybody with access, and the folder and address of the gateway",
    input: input({}),
    output: z.object({
      clientId: z.string().describe("The `by` id in events."),
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
