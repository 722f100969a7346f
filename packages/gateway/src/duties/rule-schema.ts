import { isAbsolute } from "node:path";
import { LandlineError, limitsOf, toolKinds } from "@landline/protocol";
import { z } from "zod";
import { hostWords, isHost } from "./ask-facts.ts";
import { plainWords } from "./command-prefix.ts";
import type { NewRule, Rule } from "./rule.ts";

/** Brings zod: import it when there is a rule to read, and not before. */
const bounds = limitsOf("default");

const line = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters");

const absolutePath = line(bounds.pathLength).refine(isAbsolute, "must be an absolute path");

const commandPrefix = line(bounds.pathLength).refine(
  (text) => plainWords(text) !== null,
  "must be the first words of one plain command, without variables, pipes or redirections",
);

const pathGlob = line(bounds.pathLength).refine(
  (text) => !/\{.*,.*\}/.test(text),
  "must not use braces: add one rule for each",
);

const host = line(bounds.idLength).refine(isHost, hostWords);

const what = z.strictObject({
  toolKind: z.enum(toolKinds).exactOptional(),
  toolName: line(bounds.idLength).exactOptional(),
  commandPrefix: commandPrefix.exactOptional(),
  onlyReads: z.literal(true).exactOptional(),
  pathGlob: pathGlob.exactOptional(),
  host: host.exactOptional(),
  agent: line(bounds.idLength).exactOptional(),
});

const where = z.discriminatedUnion("in", [
  z.strictObject({ in: z.literal("session"), sessionId: line(bounds.idLength) }),
  z.strictObject({ in: z.literal("project"), folder: absolutePath }),
  z.strictObject({ in: z.literal("everywhere") }),
]);

const body = z.strictObject({ decision: z.enum(["allow", "ask", "deny"]), what, where });

/** To be asked before something that is only read has no use: nothing runs it unasked without a rule. */
const checked = <Schema extends typeof body>(schema: Schema) =>
  schema.refine(({ decision, what: { onlyReads } }) => decision === "allow" || !onlyReads, {
    path: ["what", "onlyReads"],
    message: "is for rules that allow",
  });

/** A rule as a client sends it; the client's own id is added by the door. */
export const ruleBodySchema = checked(body);

const newRule = body.extend({ by: line(bounds.idLength) });
const newRuleSchema = checked(newRule);

const ruleSchema = checked(newRule.extend({ id: line(bounds.idLength), at: z.int().min(0) }));

/** Throws `invalid-params` that names the field. */
export function readNewRule(value: unknown): NewRule {
  const read = newRuleSchema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.join(".") || "the rule";
  throw new LandlineError("invalid-params", {
    message: `${field}: ${issue?.message ?? "is not what it should be"}.`,
    data: { field },
  });
}

export function readRules(value: unknown): readonly Rule[] {
  return z.array(ruleSchema).parse(value);
}
