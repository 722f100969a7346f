import { readdirSync, readFileSync } from "node:fs";
import { marksIn } from "./command-environment.ts";

/** A process of this machine, as /proc tells it. */
export interface ProcessRow {
  pid: number;
  parent: number;
  session: number;
  /** With the pid it names one process and no later one. */
  startTime: number;
  marks: string[];
}

/**
 * All processes that live, on Linux; none elsewhere. It is read at once and not in turns: it is needed
 * while this process exits too, and what is read in turns is no picture of one moment.
 */
export function readProcessTable(): ProcessRow[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readRow(Number(name)))
    .filter((row) => row !== null);
}

function readRow(pid: number): ProcessRow | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in brackets, and may hold spaces and brackets itself.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // What is a zombie has ended already, and waits for its parent alone.
    if (fields[0] === "Z") return null;
    const [parent, session, startTime] = [fields[1], fields[3], fields[19]].map(Number);
    if (parent === undefined || session === undefined || startTime === undefined) return null;
    return { pid, parent, session, startTime, marks: readMarks(pid) };
  } catch {
    // It has ended in between.
    return null;
  }
}

/** Processes of other users can't be looked into: they are none of ours. */
function readMarks(pid: number): string[] {
  try {
    return marksIn(readFileSync(`/proc/${pid}/environ`, "latin1"));
  } catch {
    return [];
  }
}

/** Those that are ours, what they started, and what is in a process session of one of them. */
export function familyOf(
  table: readonly ProcessRow[],
  isOurs: (row: ProcessRow) => boolean,
): ProcessRow[] {
  const family = new Map<number, ProcessRow>();
  let found = table.filter((row) => row.pid !== process.pid && isOurs(row));
  while (found.length > 0) {
    for (const row of found) family.set(row.pid, row);
    found = table.filter(
      ({ pid, parent, session }) =>
        pid !== process.pid && !family.has(pid) && (family.has(parent) || family.has(session)),
    );
  }
  return [...family.values()];
}
