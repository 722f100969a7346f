import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Whether a process runs: one that has ended and waits for its parent does not. */
export function isRunning(pid: number): Promise<boolean> {
  return readFile(`/proc/${pid}/stat`, "utf8").then(
    (text) => !text.slice(text.lastIndexOf(")")).startsWith(") Z "),
    () => false,
  );
}

/** Waits for something that comes about by itself; the time limit of the test is the bound. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

/** The numbers that a command has written, one a line. */
export function pidsIn(output: string): number[] {
  return [...output.matchAll(/^(\d+)$/gm)].map(([pid]) => Number(pid));
}
