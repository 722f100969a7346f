import { setTimeout as delay } from "node:timers/promises";
import {
  descendantsAndSessionsOf,
  type ProcessRow,
  readProcessTable,
  readProcessTableNow,
  startTimeOf,
} from "./process-table.ts";
import { sendSignal } from "./signals.ts";

/**
 * Ends the remaining processes of agents and commands. One scan of the process table serves all pending requests, so
 * ending hundreds of agents costs little more than ending one; each request has its own time limit. Agents run tools in
 * their own process sessions, which a signal to the group does not reach. So it finds processes by the mark in their
 * environment, with their children and the members of their process sessions. The start time is checked again directly
 * before the signal, so that a reused pid is not signalled. Systems without /proc have no sweep, only signals to the
 * process group.
 */
export interface Sweeping {
  readonly marks: ReadonlySet<string>;
  /** Known start times by pid. A process with such a pid and another start time is a different one. */
  readonly startTimes?: ReadonlyMap<number, number>;
  /** Processes that were found earlier through parents that may be gone. They are ended even without the mark. */
  readonly found?: readonly ProcessRow[];
  /** The time between SIGTERM and SIGKILL. Without it they are killed immediately. */
  readonly graceMs?: number;
  /**
   * The time limit after the grace period. Processes that were signalled by then are given up; processes found later
   * are still signalled, for at most this time again.
   */
  readonly limitMs: number;
}

export interface Swept {
  /** How many processes were ended. */
  readonly ended: number;
  /** The pids that still existed at the time limit. */
  readonly left: readonly number[];
}

const PAUSE_MS = 10;

interface Asked extends Sweeping, Pick<PromiseWithResolvers<Swept>, "resolve" | "reject"> {
  /** Set by the first scan, which may take long on a busy machine. */
  killFrom: number | null;
  /** Keys of pid and start time. */
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
        for (const one of asked) await this.#end(one, orphansIn(table, one));
      } catch (error) {
        for (const one of asked) this.#settle(one, () => one.reject(error));
      }
      await delay(PAUSE_MS);
    }
    this.#isLooking = false;
  }

  async #end(one: Asked, orphans: readonly ProcessRow[]): Promise<void> {
    if (orphans.length === 0 || isOver(one, orphans)) {
      const left = orphans.map(({ pid }) => pid);
      this.#settle(one, () => one.resolve({ ended: one.ended.size, left }));
      return;
    }
    one.killFrom ??= Date.now() + (one.graceMs ?? 0);
    const signal = Date.now() < one.killFrom ? "SIGTERM" : "SIGKILL";
    for (const orphan of orphans) {
      const name = nameOf(orphan);
      if (signal === "SIGTERM" && one.tried.has(name)) continue;
      one.tried.add(name);
      if (await send(orphan, signal)) one.ended.add(name);
    }
  }

  #settle(one: Asked, settle: () => void): void {
    this.#asked.delete(one);
    settle();
  }
}

function isOver({ killFrom, limitMs, tried }: Asked, orphans: readonly ProcessRow[]): boolean {
  const lateMs = killFrom === null ? -1 : Date.now() - killFrom - limitMs;
  return lateMs >= limitMs || (lateMs >= 0 && orphans.every((orphan) => tried.has(nameOf(orphan))));
}

function nameOf({ pid, startTime }: ProcessRow): string {
  return `${pid}.${startTime}`;
}

type Sought = Pick<Sweeping, "marks" | "startTimes" | "found">;

/** Processes with the mark or found earlier, their descendants, and the members of their process sessions. */
export function orphansIn(
  table: readonly ProcessRow[],
  { marks, startTimes, found }: Sought,
): ProcessRow[] {
  const known = new Set(found?.map(nameOf));
  return descendantsAndSessionsOf(
    table,
    (row) =>
      known.has(nameOf(row)) ||
      (row.marks.some((mark) => marks.has(mark)) &&
        (startTimes?.get(row.pid) ?? row.startTime) === row.startTime),
  );
}

/** Kills them synchronously, for use while this process exits. */
export function sweepNow(marks: ReadonlySet<string>): void {
  for (const { pid } of orphansIn(readProcessTableNow(), { marks })) sendSignal(pid, "SIGKILL");
}

async function send({ pid, startTime }: ProcessRow, signal: NodeJS.Signals): Promise<boolean> {
  if ((await startTimeOf(pid)) !== startTime) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    // It has already exited.
    return false;
  }
}
