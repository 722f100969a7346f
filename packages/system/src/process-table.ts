import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { marksIn } from "./process-mark.ts";

/** A process in /proc, which only Linux has. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot. Together with the pid, it identifies a process. */
  readonly startTime: number;
  readonly marks: readonly string[];
}

const readAtOnce = 64;

/** All processes that are not zombies; empty on other systems. */
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

/**
 * The synchronous version, for use while this process exits and for a consistent snapshot. Blocks for some
 * milliseconds.
 */
export function readProcessTableNow(): ProcessRow[] {
  if (process.platform !== "linux") return [];
  return pidsIn(readdirSync("/proc")).flatMap((pid) => {
    const facts = parseStat(readNow(pid, "stat"));
    return facts === null ? [] : [rowOf(pid, facts, readNow(pid, "environ"))];
  });
}

/** The start time of a process; null if it has ended, or on a system without /proc. */
export async function startTimeOf(pid: number): Promise<number | null> {
  return parseStat(await readLater(pid, "stat"))?.startTime ?? null;
}

/** Whether the process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  return parseStat(readNow(pid, "stat")) !== null;
}

/** Whether a process of the group is not a zombie. True on systems without /proc. */
export function hasRunningMember(group: number): boolean {
  if (process.platform !== "linux") return true;
  return pidsIn(readdirSync("/proc")).some(
    (pid) => parseStat(readNow(pid, "stat"))?.group === group,
  );
}

/** The matching processes, their descendants, and the members of their process sessions. Never this process. */
export function descendantsAndSessionsOf(
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

/** Identifies the current boot: start times are valid only within one boot. */
export async function bootId(): Promise<string | null> {
  try {
    return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  } catch {
    return null;
  }
}

type StatFacts = Pick<ProcessRow, "parent" | "group" | "session" | "startTime">;

/** Null for a process that has ended, including zombies (Z, X). */
function parseStat(text: string): StatFacts | null {
  // The program name is in parentheses, and may contain spaces and parentheses.
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

/** Empty if the process is gone, and for the environment of another user's process. */
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
