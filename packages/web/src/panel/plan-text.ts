import type { PlanEntry } from "@agentclientprotocol/sdk";

/** The progress of a plan. */
export interface PlanProgress {
  readonly done: number;
  readonly all: number;
  /** The entry in progress or the next one; null if all are done. */
  readonly current: string | null;
}

export function planProgress(entries: readonly PlanEntry[]): PlanProgress {
  const current =
    entries.find(({ status }) => status === "in_progress") ??
    entries.find(({ status }) => status !== "completed");
  return {
    done: entries.filter(({ status }) => status === "completed").length,
    all: entries.length,
    current: current?.content ?? null,
  };
}

/** While no turn is running, an entry in progress is shown as unfinished. */
export function shownStatus(status: string, isUnderWay: boolean): string {
  return status === "in_progress" && !isUnderWay ? "unfinished" : status;
}

const statuses: Readonly<Record<string, string>> = {
  pending: "To do",
  in_progress: "In progress",
  completed: "Done",
  unfinished: "Not finished",
};

export function statusWord(status: string): string {
  return statuses[status] ?? status.replaceAll("_", " ");
}

/** Null for the default priority. */
export function priorityWord(priority: string | undefined): string | null {
  return priority === undefined || priority === "medium" ? null : priority;
}
