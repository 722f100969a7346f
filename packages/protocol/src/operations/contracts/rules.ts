import { z } from "zod";
import { toolKinds } from "../../tool-kinds.ts";
import { type Contract, input } from "../contract.ts";
import { absolutePath, bounds, id } from "../fields.ts";
import { time } from "../shapes/acp.ts";
import { rulesDamage } from "../shapes/summary.ts";
import type { OperationName } from "../table.ts";

const line = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters");

/** All that are given must hold; none given means anything. */
const what = z.strictObject({
  toolKind: z.enum(toolKinds).exactOptional(),
  toolName: line(bounds.idLength).exactOptional(),
  commandPrefix: line(bounds.pathLength).exactOptional().describe("The first words of a command."),
  onlyReads: z.literal(true).exactOptional().describe("Commands that only read project files."),
  pathGlob: line(bounds.pathLength)
    .refine((text) => !/\{.*,.*\}/.test(text), "must not use braces: add one rule for each")
    .exactOptional(),
  host: line(bounds.idLength).exactOptional(),
  agent: line(bounds.idLength).exactOptional(),
});

const where = z.discriminatedUnion("in", [
  z.strictObject({ in: z.literal("session"), sessionId: line(bounds.idLength) }),
  z.strictObject({ in: z.literal("project"), folder: absolutePath }),
  z.strictObject({ in: z.literal("everywhere") }),
]);

/** What a client says of a rule. The gateway also checks that its command and its host can be read. */
export const ruleFields = { decision: z.enum(["allow", "ask", "deny"]), what, where };

export const rule = z.object(ruleFields);

export const ruleWords = z.object({
  text: z.string().describe("The rule as a sentence."),
  notes: z.array(z.string()).describe("What it does not cover, and which rules come before it."),
});

const describedRule = rule.extend({ by: z.string(), ...ruleWords.shape });

const savedRule = describedRule.extend({ id: z.string(), at: time });

/** Rules: what is allowed, asked or denied from now on. */
export const ruleContracts = {
  "list-rules": {
    summary: "The rules with their descriptions, and unacknowledged damage of their file",
    input: input({}),
    output: z.object({ rules: z.array(savedRule), damage: rulesDamage.nullable() }),
  },
  "add-rule": { summary: "Add a rule", input: input(ruleFields), output: savedRule, status: 201 },
  "preview-rule": {
    summary: "The description of a rule, without adding it",
    input: input(ruleFields),
    output: describedRule,
  },
  "remove-rule": { summary: "Remove a rule", input: input({ id }), output: null },
  "acknowledge-rules-damage": {
    summary: "Acknowledge the damaged rules file, so that rules allow again",
    input: input({}),
    output: null,
  },
} as const satisfies Partial<Record<OperationName, Contract>>;
