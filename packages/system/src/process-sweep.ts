import { setTimeout as delay } from "node:timers/promises";
import {
  familyOf,
  type ProcessRow,
  readProcessTable,
  readProcessTableNow,
  startTimeOf,
} from "./process-table.ts";
import { sendSignal } from "./signals.ts";

/**
 * Ends what agents and commands left behind. One look at the table of processes serves all who asked before it began, so
 * that the end of hundreds of agents at once costs little more than the end of one; each has its own time
 * limit, and nobody waits for the processes of another. Real agents run their tools in process sessions of their own, which a
 * group kill does not reach, so everything is found that carries the mark in its environment, with its children and the
 * members of its process session.
 *
 * Nothing else is ever ended: right before the signal, the start time is read again, so that a pid that
 * was given to another process meanwhile is left alone. On systems without /proc there is no sweep: the
 * signals to the process group are all that there is.
 */
export interface Sweeping {
  readonly marks: ReadonlySet<string>;
  /** Known start times, by pid: what has such a pid and another start time is somebody else. */
  readonly startTimes?: ReadonlyMap<number, number>;
  /** Found earlier, by parents that may be gone now: they are ended too, whether they carry the mark or not. */
  readonly found?: readonly ProcessRow[];
  /** How long they have after SIGTERM. Without it they are killed at once. */
  readonly graceMs?: number;
  /**
   * From the end of the grace on. What was tried by then and does not end is given up; what is only found after it is
   * still tried, but not for longer than this once more.
   */
  readonly limitMs: number;
}

export interface Swept {
  /** How many processes were ended. */
  readonly ended: number;
  /** Those that were still there when the time was up. */
  readonly left: readonly number[];
}

const PAUSE_MS = 10;

interface Asked extends Sweeping, Pick<PromiseWithResolvers<Swept>, "resolve" | "reject"> {
  /** From the first look on, which a busy machine may take long for. */
  killFrom: number | null;
  /** By pid and start time. */
  readonly tried: Set<string>;
  readonly ended: Set<string>;
}

export class Sweeper {
  readonly #readTable: () => Promise<readonly ProcessRow[]>;
  readonly #asked = new Set<Asked>();
  #isLooking = false;

  constructor(readTable: () => Promise<readonly ProcessRow[]> = readProcessTable) {
    this.#readTable = readTable;
  }

  sweep(sweeping: Sweeping): Promise<Swept> {
    if (process.platform !== "linux" || sweeping.marks.size === 0)
      return Promise.resolve({ ended: 0, left: [] });
    const { promise, resolve, reject } = Promise.withResolvers<Swept>();
    const fresh = { killFrom: null, tried: new Set<string>(), ended: new Set<string>() };
    this.#asked.add({ ...sweeping, ...fresh, resolve, reject });
    if (!this.#isLooking) void this.#look();
    return promise;
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#asked.size > 0) {
      const asked = [...this.#asked];
      try {
        const table = await this.#readTable();
        for (const one of asked) await this.#end(one, straysIn(table, one));
      } catch (error) {
        for (const one of asked) this.#settle(one, () => one.reject(error));
      }
      await delay(PAUSE_MS);
    }
    this.#isLooking = false;
  }

  async #end(one: Asked, strays: readonly ProcessRow[]): Promise<void> {
    if (strays.length === 0 || isOver(one, strays)) {
      const left = strays.map(({ pid }) => pid);
      this.#settle(one, () => one.resolve({ ended: one.ended.size, left }));
      return;
    }
    one.killFrom ??= Date.now() + (one.graceMs ?? 0);
    const signal = Date.now() < one.killFrom ? "SIGTERM" : "SIGKILL";
    for (const stray of strays) {
      const name = nameOf(stray);
      if (signal === "SIGTERM" && one.tried.has(name)) continue;
      one.tried.add(name);
      if (await send(stray, signal)) one.ended.add(name);
    }
  }

  #settle(one: Asked, settle: () => void): void {
    this.#asked.delete(one);
    settle();
  }
}

function isOver({ killFrom, limitMs, tried }: Asked, strays: readonly ProcessRow[]): boolean {
  const lateMs = killFrom === null ? -1 : Date.now() - killFrom - limitMs;
  return lateMs >= limitMs || (lateMs >= 0 && strays.every((stray) => tried.has(nameOf(stray))));
}

function nameOf({ pid, startTime }: ProcessRow): string {
  return `${pid}.${startTime}`;
}

type Sought = Pick<Sweeping, "marks" | "startTimes" | "found">;

/** Those with the mark or found earlier, what they started, and what is in a process session of one of them. */
export function straysIn(
  table: readonly ProcessRow[],
  { marks, startTimes, found }: Sought,
): ProcessRow[] {
  const known = new Set(found?.map(nameOf));
  return familyOf(
    table,
    (row) =>
      known.has(nameOf(row)) ||
      (row.marks.some((mark) => marks.has(mark)) &&
        (startTimes?.get(row.pid) ?? row.startTime) === row.startTime),
  );
}

/** Kills them without a pause, for while this process exits. */
export function sweepNow(marks: ReadonlySet<string>): void {
  for (const { pid } of straysIn(readProcessTableNow(), { marks })) sendSignal(pid, "SIGKILL");
}

async function send({ pid, startTime }: ProcessRow, signal: NodeJS.Signals): Promise<boolean> {
  if ((await startTimeOf(pid)) !== startTime) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended by itself.
    return false;
  }
}
