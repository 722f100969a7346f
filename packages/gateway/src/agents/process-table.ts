import { readdir, readFile } from "node:fs/promises";
import { marksIn } from "./environment.ts";

/** A process of this machine, as /proc tells it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Clock ticks since the machine was started: with the pid, it names one process and no later one. */
  readonly startTime: number;
  readonly marks: readonly string[];
}

const READ_AT_ONCE = 64;

/** All processes that live. Only Linux has such a table. */
export async function readProcessTable(): Promise<ProcessRow[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows: ProcessRow[] = [];
  for (let start = 0; start < pids.length; start += READ_AT_ONCE) {
    const some = await Promise.all(pids.slice(start, start + READ_AT_ONCE).map(readRow));
    rows.push(...some.filter((row) => row !== null));
  }
  return rows;
}

async function readRow(pid: number): Promise<ProcessRow | null> {
  const facts = await readStat(pid);
  // What is a zombie has ended already, and waits for its parent alone.
  if (facts === null || facts.state === "Z") return null;
  const { parent, session, startTime } = facts;
  return { pid, parent, session, startTime, marks: await readMarks(pid) };
}

/** When the process was started, or null when it is gone (or on a system without /proc). */
export async function startTimeOf(pid: number): Promise<number | null> {
  const facts = await readStat(pid);
  return facts === null || facts.state === "Z" ? null : facts.startTime;
}

async function readStat(pid: number) {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in brackets, and may hold spaces and brackets itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      state: fields[0] ?? "",
      parent: Number(fields[1]),
      session: Number(fields[3]),
      startTime: Number(fields[19]),
    };
  } catch {
    return null;
  }
}

/** Processes of other users can't be looked into: they are none of ours. */
async function readMarks(pid: number): Promise<readonly string[]> {
  try {
    return marksIn(await readFile(`/proc/${pid}/environ`, "latin1"));
  } catch {
    return [];
  }
}

/** Names this run of the machine: start times of another one mean nothing. */
export async function bootId(): Promise<string | null> {
  try {
    return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  } catch {
    return null;
  }
}
