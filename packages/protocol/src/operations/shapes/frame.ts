import { z } from "zod";
import { errorCodes } from "../../errors.ts";
import { agentSummary, rulesDamage, sessionSummary } from "./summary.ts";
import { sessionEvent } from "./event.ts";
import { sessionView } from "./view.ts";

const attached = { type: z.literal("attached"), sessionId: z.string(), head: z.int() };

export const problem = z
  .looseObject({
    code: z.enum(errorCodes as [string, ...string[]]),
    message: z.string(),
    help: z.string(),
    retryAfterMs: z.number().min(0).exactOptional(),
  })
  .describe("What went wrong, and what to do about it.");

/** What the gateway sends over `landline.v1`. */
export const gatewayFrame = z.union([
  z.object({
    type: z.literal("reply"),
    id: z.union([z.string(), z.int()]),
    result: z.unknown().describe("What the operation returns; an empty object for nothing."),
  }),
  z.object({
    type: z.literal("reply"),
    id: z.union([z.string(), z.int()]).nullable(),
    error: problem,
  }),
  z.object({ ...attached, from: z.literal("tail") }),
  z.object({ ...attached, from: z.literal("snapshot"), view: sessionView }),
  z.object({
    type: z.literal("events"),
    sessionId: z.string(),
    events: z.array(sessionEvent),
  }),
  z.object({ type: z.literal("gap"), sessionId: z.string(), head: z.int() }),
  z.object({
    type: z.literal("sessions"),
    sessions: z.array(sessionSummary),
    gone: z.array(z.string()),
  }),
  z.object({ type: z.literal("agents"), agents: z.array(agentSummary) }),
  z.object({ type: z.literal("people"), people: z.record(z.string(), z.string()) }),
  z.object({ type: z.literal("rules-damage"), damage: rulesDamage.nullable() }),
  z.object({ type: z.literal("terminal"), terminalId: z.string(), text: z.string() }),
  z.object({ type: z.literal("ping") }),
]);
