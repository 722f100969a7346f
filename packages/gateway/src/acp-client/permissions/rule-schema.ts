import { isAbsolute } from "node:path";
import { limitsOf } from "@landline/protocol";
import { readWith, ruleFields } from "@landline/protocol/operations";
import { z } from "zod";
import { hostPlaceholder, isHost } from "./rule-input.ts";
import { plainWords } from "./command-prefix.ts";
import type { NewRule, Rule } from "./rule.ts";

/** Loads zod, so import this module only when there is a rule to read. */
const id = z.string().min(1).max(limitsOf("default").idLength);

const body = z.strictObject(ruleFields);

/** Checks beyond the types of the fields, by the code that will read each field. */
const checked = <Schema extends typeof body>(schema: Schema) =>
  schema
    .refine(({ what: { commandPrefix: words } }) => words === undefined || plainWords(words), {
      path: ["what", "commandPrefix"],
      error:
        "must be the first words of one plain command, without variables, pipes or redirections",
    })
    .refine(({ what: { host } }) => host === undefined || isHost(host), {
      path: ["what", "host"],
      error: hostPlaceholder,
    })
    .refine(({ where }) => where.in !== "project" || isAbsolute(where.folder), {
      path: ["where", "folder"],
      error: "must be an absolute path",
    })
    // A rule that asks about reads has no use: without a rule, nothing is allowed anyway.
    .refine(({ decision, what: { onlyReads } }) => decision === "allow" || !onlyReads, {
      path: ["what", "onlyReads"],
      error: "is for rules that allow",
    });

/** A rule as a client sends it. The gateway adds the client's id. */
export const ruleBodySchema = checked(body);

const newRule = body.extend({ by: id });
const newRuleSchema = checked(newRule);

const rulesSchema = z.array(checked(newRule.extend({ id, at: z.int().min(0) })));

/** Throws `invalid-params` with the name of the field. */
export function readNewRule(value: unknown): NewRule {
  return readWith(newRuleSchema, value, "The rule");
}

export function readRules(value: unknown): readonly Rule[] {
  return rulesSchema.parse(value);
}
