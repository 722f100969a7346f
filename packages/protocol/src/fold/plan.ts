import type { PlanEntry } from "@agentclientprotocol/sdk";
import { viewRows } from "../limits/view.ts";
import type { NamedPlan } from "../view.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { changeThread } from "./thread.ts";
import { entriesWith, recordOf, stringOf, type Raw } from "./value.ts";

const plansKept = viewRows.plansKept.default;

/** Each update replaces the whole plan. */
export function foldPlan(draft: Draft, where: Where, update: Raw): boolean {
  const entries = entriesWith(update["entries"], "content");
  const thread = changeThread(draft, where);
  if (entries === null || thread === undefined) return false;
  thread.plan = entries as unknown as readonly PlanEntry[];
  return true;
}

/** Unstable `plan_update`: replaces the plan of that id, or adds it. */
export function foldPlanUpdate(draft: Draft, where: Where, update: Raw): boolean {
  const plan = namedPlan(recordOf(update["plan"]));
  const thread = changeThread(draft, where);
  if (plan === null || thread === undefined) return false;
  const plans = draft.list(thread.plans);
  const position = plans.findIndex((known) => known.planId === plan.planId);
  if (position === -1) plans.push(plan);
  else plans[position] = plan;
  if (plans.length > plansKept) plans.shift();
  thread.plans = plans;
  return true;
}

/** Unstable `plan_removed`. */
export function foldPlanRemoved(draft: Draft, where: Where, update: Raw): boolean {
  const planId = stringOf(update["planId"]);
  const thread = changeThread(draft, where);
  if (planId === null || thread === undefined) return false;
  if (thread.plans.some((plan) => plan.planId === planId)) {
    thread.plans = draft.adopt(thread.plans.filter((plan) => plan.planId !== planId));
  }
  return true;
}

function namedPlan(plan: Raw | null): NamedPlan | null {
  const planId = stringOf(plan?.["planId"]);
  if (plan === null || planId === null) return null;
  const uri = stringOf(plan["uri"]);
  const content = stringOf(plan["content"]);
  const entries = entriesWith(plan["entries"], "content");
  if (entries !== null) {
    return { planId, type: "items", entries: entries as unknown as readonly PlanEntry[] };
  }
  if (uri !== null) return { planId, type: "file", uri };
  return content === null ? null : { planId, type: "markdown", content };
}
