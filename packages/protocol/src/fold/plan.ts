import type { PlanEntry } from "@agentclientprotocol/sdk";
import { viewRows } from "../limits/view.ts";
import type { NamedPlan } from "../view.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { changeThread } from "./thread.ts";

const plansKept = viewRows.plansKept.default;

/** Replaces the whole plan. */
export function foldPlan(draft: Draft, where: Where, entries: readonly PlanEntry[]): void {
  const thread = changeThread(draft, where);
  if (thread !== undefined) thread.plan = entries;
}

/** Replaces or adds the plan with that id. */
export function foldNamedPlan(draft: Draft, where: Where, plan: NamedPlan): void {
  const thread = changeThread(draft, where);
  if (thread === undefined) return;
  const plans = draft.list(thread.plans);
  const position = plans.findIndex((known) => known.planId === plan.planId);
  if (position === -1) plans.push(plan);
  else plans[position] = plan;
  if (plans.length > plansKept) plans.shift();
  thread.plans = plans;
}

export function foldPlanRemoved(draft: Draft, where: Where, planId: string): void {
  const thread = changeThread(draft, where);
  if (thread?.plans.some((plan) => plan.planId === planId) !== true) return;
  thread.plans = draft.adopt(thread.plans.filter((plan) => plan.planId !== planId));
}
