import type { PermissionLevel } from "../core/record.ts";
import { evaluate, matchingAction } from "./evaluate.ts";
import type { PermissionRequest, Rule } from "./rule.ts";

export interface Judgement {
  /** Defaults, the person's config, the mode's own: in this order, the last match wins. */
  rules: readonly Rule[];
  /** What the person said in this session: it answers what would be asked, and overrides no ban. */
  approved: readonly Rule[];
  level: PermissionLevel;
}

/** Whether a request is allowed, refused, or a person's to decide. */
export function judge(judgement: Judgement, request: PermissionRequest): Rule["action"] {
  const actions = request.patterns.map((pattern) =>
    judgeOne(judgement, request.permission, pattern),
  );
  if (actions.includes("deny")) return "deny";
  return actions.length === 0 || actions.includes("ask") ? "ask" : "allow";
}

function judgeOne(judgement: Judgement, permission: string, pattern: string): Rule["action"] {
  const byRule = evaluate(judgement.rules, permission, pattern);
  if (byRule !== "ask") return byRule;
  const said = matchingAction(judgement.approved, permission, pattern);
  if (said !== null) return said;
  if (judgement.level === "allow-all") return "allow";
  return judgement.level === "accept-edits" && permission === "edit" ? "allow" : "ask";
}
