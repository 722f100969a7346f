import { z } from "zod";
import type { Execution } from "../../execution.ts";
import { actor, confinement } from "./event.ts";

const run = {
  confinement: confinement.exactOptional(),
  hasLeftSandbox: z.literal(true).exactOptional(),
  editor: z.string().exactOptional().describe("The editor in which it ran."),
};

export const execution = z
  .object({
    by: z
      .enum(["landline", "editor", "agent"])
      .describe(
        "landline: in a terminal of the gateway. editor: in a terminal of an editor. agent: by the agent itself.",
      ),
    agent: z.string(),
    isBuiltIn: z.literal(true).exactOptional().describe("It is the built-in agent."),
    ...run,
    agentConfinement: confinement.exactOptional(),
    terminals: z
      .array(
        z.object({ terminalId: z.string(), isUnknown: z.literal(true).exactOptional(), ...run }),
      )
      .exactOptional(),
    decisions: z.array(
      z.object({
        askId: z.string(),
        outcome: z.enum(["open", "allowed", "rejected", "unanswered"]),
        by: actor.nullable(),
        option: z.string().exactOptional().describe("The kind of the option that was chosen."),
        rule: z.string().exactOptional().describe("The rule as a sentence, as it was then."),
      }),
    ),
    report: z
      .object({
        confinement,
        hasLeftSandbox: z.literal(true).exactOptional(),
        approval: z.object({
          by: z.enum(["person", "rule", "level", "read-only", "none"]),
          name: z.string().exactOptional(),
        }),
      })
      .exactOptional()
      .describe("Reported by the built-in agent."),
  })
  .describe("How a tool call was executed.") satisfies z.ZodType<Execution>;
