import type { PlanEntry } from "@agentclientprotocol/sdk";

/** How far a plan has come. */
export interface PlanProgress {
  readonly done: number;
  readonly all: number;
  /** What is being done, or what comes next; null when all is done. */
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

/** Where no turn runs, nothing is being done: what was begun is not finished. */
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

/** The ordinary priority says nothing. */
export function priorityWord(priority: string | undefined): string | null {
  return priority === undefined || priority === "medium" ? null : priority;
}
