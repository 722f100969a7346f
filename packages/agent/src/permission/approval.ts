import type { Rule } from "./rule.ts";

/** What allowed a call. `read-only`: it only reads. `none`: nothing needs permission. */
export interface Approval {
  readonly by: "person" | "level" | "rule" | "read-only" | "none";
  /** The name of the rule or level, or that the user said "always" before. */
  readonly name?: string;
}

export const byNobody: Approval = { by: "none" };
export const byReading: Approval = { by: "read-only" };
export const byPerson: Approval = { by: "person" };
export const byEarlierAnswer: Approval = { by: "person", name: "always in this session" };

export function byRule({ permission, pattern }: Rule): Approval {
  return { by: "rule", name: pattern === "*" ? permission : `${permission}: ${pattern}` };
}

/** In order of precedence: a person saw the whole call, and a level allows more than a rule. */
const ranks = ["person", "level", "rule", "read-only", "none"] as const;

/** One approval for a call that needed several. */
export function mainApproval(approvals: readonly Approval[]): Approval {
  const by = ranks.find((rank) => approvals.some((each) => each.by === rank)) ?? "none";
  const main = approvals.filter((each) => each.by === by);
  const names = new Set(main.flatMap(({ name }) => name ?? []));
  // An answer to this call takes precedence over an earlier one.
  const isNamed = names.size > 0 && main.every(({ name }) => name !== undefined);
  return isNamed ? { by, name: [...names].join(", ") } : { by };
}
