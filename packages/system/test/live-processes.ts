import { readdirSync, readFileSync } from "node:fs";

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
