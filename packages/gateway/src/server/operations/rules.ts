import { LandlineError, operations } from "@landline/protocol";
import type { NewRule } from "../../acp-client/permissions/rule.ts";
import type { Rules } from "../../acp-client/permissions/rules.ts";
import { requireRole } from "../roles.ts";
import type { Implementations } from "./operation.ts";

/** Rules: what is allowed, asked or denied. Each rule has a description, even before it is saved. */
export const ruleOperations = {
  "list-rules": async (_input, { services: { rules } }) => ({
    rules: await Promise.all(rules.list().map((rule) => inWords(rule, rules))),
    damage: rules.damage,
  }),
  "add-rule": async (sent, { services: { rules }, principal }) => {
    const wanted = await newRule(sent, principal.clientId);
    if (wanted.where.in === "everywhere")
      requireRole(principal, operations["add-rule"].parts.everywhere);
    return inWords(await rules.add(wanted), rules);
  },
  "preview-rule": async (sent, { services: { rules }, principal }) =>
    inWords(await newRule(sent, principal.clientId), rules),
  "remove-rule": async ({ id }, { services: { rules }, principal }) => {
    const found = rules.list().find((rule) => rule.id === id);
    if (!found) throw noSuchRule();
    if (found.where.in === "everywhere")
      requireRole(principal, operations["remove-rule"].parts.everywhere);
    await rules.remove(id);
  },
  "acknowledge-rules-damage": async (_input, { services: { rules, logger }, principal }) => {
    const { damage } = rules;
    await rules.acknowledgeDamage();
    if (damage)
      logger.warn("A person acknowledged the damaged rules file. Rules are active again.", {
        ...damage,
        client: principal.clientId,
      });
  },
} satisfies Partial<Implementations>;

async function newRule(sent: Omit<NewRule, "by">, by: string): Promise<NewRule> {
  const { readNewRule } = await import("../../acp-client/permissions/rule-schema.ts");
  return readNewRule({ ...sent, by });
}

async function inWords<Wanted extends NewRule>(rule: Wanted, rules: Rules) {
  return { ...rule, text: await rules.describe(rule), notes: await rules.notes(rule) };
}

function noSuchRule(): LandlineError {
  return new LandlineError("invalid-params", {
    message: "There is no rule with that id.",
    help: "List the rules with GET /api/rules.",
    data: { field: "id" },
  });
}
