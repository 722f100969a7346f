import { isAbsolute } from "node:path";
import { limitsOf } from "@landline/protocol";
import { readWith, ruleFields } from "@landline/protocol/operations";
import { z } from "zod";
import { hostWords, isHost } from "./ask-facts.ts";
import { plainWords } from "./command-prefix.ts";
import type { NewRule, Rule } from "./rule.ts";

/** Brings zod: import it when there is a rule to read, and not before. */
const id = z.string().min(1).max(limitsOf("default").idLength);

const body = z.strictObject(ruleFields);

/** What the fields alone do not say: each is checked by the code that will read it. */
const checked = <Schema extends typeof body>(schema: Schema) =>
  schema
    .refine(({ what: { commandPrefix: words } }) => words === undefined || plainWords(words), {
      path: ["what", "commandPrefix"],
      error:
        "must be the first words of one plain command, without variables, pipes or redirections",
    })
    .refine(({ what: { host } }) => host === undefined || isHost(host), {
      path: ["what", "host"],
      error: hostWords,
    })
    .refine(({ where }) => where.in !== "project" || isAbsolute(where.folder), {
      path: ["where", "folder"],
      error: "must be an absolute path",
    })
    // To be asked before something that is only read has no use: nothing runs it unasked without a rule.
    .refine(({ decision, what: { onlyReads } }) => decision === "allow" || !onlyReads, {
      path: ["what", "onlyReads"],
      error: "is for rules that allow",
    });

/** A rule as a client sends it; the client's own id is added by the gateway. */
export const ruleBodySchema = checked(body);

const newRule = body.extend({ by: id });
const newRuleSchema = checked(newRule);

const rulesSchema = z.array(checked(newRule.extend({ id, at: z.int().min(0) })));

/** Throws `invalid-params` that names the field. */
export function readNewRule(value: unknown): NewRule {
  return readWith(newRuleSchema, value, "The rule");
}

export function readRules(value: unknown): readonly Rule[] {
  return rulesSchema.parse(value);
}
