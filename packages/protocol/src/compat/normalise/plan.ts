import type { Hits } from "./hits.ts";
import { isList, isRecord, type RawRecord } from "../../record.ts";

const priorities: ReadonlySet<unknown> = new Set(["high", "medium", "low"]);
const statuses: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed"]);

/** Converts seed 001's `plan.steps[{id, description}]` to entries; steps without a description are skipped. */
export function normalisePlan(update: RawRecord, hits?: Hits): RawRecord {
  if (update["entries"] !== undefined) return update;
  const { plan, ...rest } = update;
  if (!isRecord(plan) || !isList(plan["steps"])) return update;
  hits?.count("plan-steps");
  return { ...rest, entries: plan["steps"].map(entry).filter((found) => found !== undefined) };
}

function entry(step: unknown): RawRecord | undefined {
  if (!isRecord(step) || typeof step["description"] !== "string") return undefined;
  const { description, priority, status, ...rest } = step;
  return {
    ...rest,
    content: description,
    priority: priorities.has(priority) ? priority : "medium",
    status: statuses.has(status) ? status : "pending",
  };
}
