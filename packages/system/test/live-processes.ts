import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** The processes that carry the mark, counted without the code under test. */
export function marked(mark: string): number[] {
  return pids().filter((pid) => contentOf(pid, "environ").includes(mark));
}

function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function contentOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** The processes whose command line has this in it. */
export function startedWith(text: string): number[] {
  return pids().filter((pid) => contentOf(pid, "cmdline").includes(text));
}

/** Whether the process is there and is no zombie. */
export function lives(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Ends what a test left: those that went out of their group on purpose. */
export function endMarked(mark: string): void {
  for (const pid of marked(mark).filter(lives)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended in between.
    }
  }
}

/** The numbers that a command has written, one a line. */
export function pidsIn(output: string): number[] {
  return [...output.matchAll(/^(\d+)$/gm)].map(([pid]) => Number(pid));
}

/** Waits for something that comes about by itself; the time limit of the test is the bound. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}
