import { setTimeout as delay } from "node:timers/promises";
import { readProcessTable, startTimeOf, type ProcessRow } from "./process-table.ts";

/**
 * Ends what agents left behind. Real agents run their tools in process sessions of their own, which a
 * group kill does not reach, so everything is found that carries the agent's mark in its environment,
 * with its children and the members of its process session.
 *
 * Nothing else is ever ended: right before the signal, the start time is read again, so that a pid that
 * was given to another process meanwhile is left alone. On systems without /proc there is no sweep: the
 * signals to the process group are all that there is.
 */
export interface Sweeping {
  readonly marks: ReadonlySet<string>;
  /** Known start times, by pid: what has such a pid and another start time is somebody else. */
  readonly startTimes?: ReadonlyMap<number, number>;
  readonly limitMs: number;
}

export interface Swept {
  /** How many processes were ended. */
  readonly ended: number;
  /** Those that were still there when the time was up. */
  readonly left: readonly number[];
}

const PAUSE_MS = 10;

export async function sweep(sweeping: Sweeping): Promise<Swept> {
  if (process.platform !== "linux" || sweeping.marks.size === 0) return { ended: 0, left: [] };
  const deadline = Date.now() + sweeping.limitMs;
  const ended = new Set<string>();
  for (;;) {
    const strays = straysIn(await readProcessTable(), sweeping);
    if (strays.length === 0) return { ended: ended.size, left: [] };
    if (Date.now() >= deadline) return { ended: ended.size, left: strays.map(({ pid }) => pid) };
    for (const stray of strays) {
      if (await kill(stray)) ended.add(`${stray.pid}.${stray.startTime}`);
    }
    await delay(PAUSE_MS);
  }
}

/** Those with the mark, what they started, and what is in a process session of one of them. */
export function straysIn(
  table: readonly ProcessRow[],
  { marks, startTimes }: Pick<Sweeping, "marks" | "startTimes">,
): ProcessRow[] {
  const strays = new Map<number, ProcessRow>();
  const isOurs = (row: ProcessRow) =>
    row.marks.some((mark) => marks.has(mark)) &&
    (startTimes?.get(row.pid) ?? row.startTime) === row.startTime;
  const add = (rows: readonly ProcessRow[]) => {
    for (const row of rows) if (row.pid !== process.pid) strays.set(row.pid, row);
    return rows.length > 0;
  };
  const belongs = (row: ProcessRow) =>
    !strays.has(row.pid) &&
    row.pid !== process.pid &&
    (strays.has(row.parent) || strays.has(row.session));
  add(table.filter(isOurs));
  while (add(table.filter(belongs)));
  return [...strays.values()];
}

async function kill({ pid, startTime }: ProcessRow): Promise<boolean> {
  if ((await startTimeOf(pid)) !== startTime) return false;
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
    return false;
  }
}
