import type { NewRule, Rule } from "../../../src/acp-client/permissions/rule.ts";

/** Rules for tests: name only the fields that the test is about. */
export function anyRule(rule: Partial<NewRule> = {}): NewRule {
  return { decision: "allow", what: {}, where: { in: "everywhere" }, by: "client-1", ...rule };
}

export function keptRule(rule: Partial<NewRule> = {}): Rule {
  return { ...anyRule(rule), id: "rule-1", at: 0 };
}
