import { z } from "zod";
import { eventForms, eventSchemas, type SessionEvent } from "../../events.ts";
import { time } from "./acp.ts";
import { zodFields, zodOf } from "./from-schema.ts";

export const confinement = zodOf(eventSchemas.confinement);
export const actor = zodOf(eventSchemas.actor);
export const modes = zodOf(eventSchemas.modes);
export const configOptions = zodOf(eventSchemas.configOptions);
export const models = zodOf(eventSchemas.models);
export const agentInfo = zodOf(eventSchemas.agentInfo);
export const capabilities = zodOf(eventSchemas.capabilities);
export const startedHow = zodOf(eventSchemas.startedHow);
export const turnState = zodOf(eventSchemas.turnState);
export const rung = zodOf(eventSchemas.rung);
export const stopReason = zodOf(eventSchemas.stopReason);
export const codeAndMessage = zodOf(eventSchemas.codeAndMessage);
export const turnUsage = zodOf(eventSchemas.turnUsage);
export const permissionOptions = zodOf(eventSchemas.permissionOptions);
export const question = zodOf(eventSchemas.question);
export const askOutcome = zodOf(eventSchemas.askOutcome);

/** One event of a session's log. */
export const sessionEvent = z
  .union(
    eventForms.map(({ kind, fields }) =>
      z.object({ seq: z.int().min(1), at: time, kind: z.literal(kind), ...zodFields(fields) }),
    ),
  )
  .describe(
    "A later version may add kinds and fields: ignore unknown ones.",
  ) as unknown as z.ZodType<SessionEvent>;
