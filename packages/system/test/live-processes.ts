import { readdirSync, readFileSync } from "node:fs";
import { vi } from "vitest";

/** The processes with this mark, found without the code under test. */
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

/** The processes whose command line contains this text. */
export function startedWith(text: string): number[] {
  return pids().filter((pid) => contentOf(pid, "cmdline").includes(text));
}

/** Whether the process exists and is not a zombie. */
export function lives(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Ends processes that a test left outside their group on purpose. */
export function endMarked(mark: string): void {
  for (const pid of marked(mark).filter(lives)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** The pids that a command printed, one per line. */
export function pidsIn(output: string): number[] {
  return [...output.matchAll(/^(\d+)$/gm)].map(([pid]) => Number(pid));
}

/** Waits for something that no event reports. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(condition, { timeout: 60_000, interval: 10 });
}
