import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { marksIn } from "./process-mark.ts";

/** A process of this machine, as /proc tells it. Only Linux has such a table. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since the machine was started: with the pid, it names one process and no later one. */
  readonly startTime: number;
  readonly marks: readonly string[];
}

const readAtOnce = 64;

/** All processes that live; none on other systems. */
export async function readProcessTable(): Promise<ProcessRow[]> {
  if (process.platform !== "linux") return [];
  const pids = pidsIn(await readdir("/proc"));
  const rows: ProcessRow[] = [];
  for (let start = 0; start < pids.length; start += readAtOnce) {
    const some = await Promise.all(pids.slice(start, start + readAtOnce).map(readRow));
    rows.push(...some.filter((row) => row !== null));
  }
  return rows;
}

/** The same without a pause: for while this process exits, and as a picture of one moment. It blocks for some milliseconds. */
export function readProcessTableNow(): ProcessRow[] {
  if (process.platform !== "linux") return [];
  return pidsIn(readdirSync("/proc")).flatMap((pid) => {
    const facts = parseStat(readNow(pid, "stat"));
    return facts === null ? [] : [rowOf(pid, facts, readNow(pid, "environ"))];
  });
}

/** When the process was started; null when it is gone, or on a system without /proc. */
export async function startTimeOf(pid: number): Promise<number | null> {
  return parseStat(await readLater(pid, "stat"))?.startTime ?? null;
}

/** Whether the process is there and is no zombie. */
export function isRunning(pid: number): boolean {
  return parseStat(readNow(pid, "stat")) !== null;
}

/** Whether a process of the group is no zombie; on systems without /proc, it is assumed. */
export function hasRunningMember(group: number): boolean {
  if (process.platform !== "linux") return true;
  return pidsIn(readdirSync("/proc")).some(
    (pid) => parseStat(readNow(pid, "stat"))?.group === group,
  );
}

/** Those that are ours, what they started, and what is in a process session of one of them. Never this process itself. */
export function familyOf(
  table: readonly ProcessRow[],
  isOurs: (row: ProcessRow) => boolean,
): ProcessRow[] {
  const others = table.filter(({ pid }) => pid !== process.pid);
  const family = new Map<number, ProcessRow>();
  let found = others.filter(isOurs);
  while (found.length > 0) {
    for (const row of found) family.set(row.pid, row);
    found = others.filter(
      ({ pid, parent, session }) => !family.has(pid) && (family.has(parent) || family.has(session)),
    );
  }
  return [...family.values()];
}

/** Names this run of the machine: start times of another one mean nothing. */
export async function bootId(): Promise<string | null> {
  try {
    return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  } catch {
    return null;
  }
}

type StatFacts = Pick<ProcessRow, "parent" | "group" | "session" | "startTime">;

/** Null for one that has ended: a zombie (Z, X) only waits for its parent. */
function parseStat(text: string): StatFacts | null {
  // The name of the program stands in brackets, and may hold spaces and brackets itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (text === "" || fields[0] === "Z" || fields[0] === "X") return null;
  const [parent, group, session] = fields.slice(1, 4).map(Number);
  if (parent === undefined || group === undefined || session === undefined) return null;
  return { parent, group, session, startTime: Number(fields[19]) };
}

function rowOf(pid: number, facts: StatFacts, environ: string): ProcessRow {
  return { pid, ...facts, marks: marksIn(environ) };
}

async function readRow(pid: number): Promise<ProcessRow | null> {
  const facts = parseStat(await readLater(pid, "stat"));
  return facts === null ? null : rowOf(pid, facts, await readLater(pid, "environ"));
}

function pidsIn(names: readonly string[]): number[] {
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Empty when the process is gone, and for the environment of another user's process, which is none of ours. */
function readLater(pid: number, file: "stat" | "environ"): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "");
}

function readNow(pid: number, file: "stat" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
