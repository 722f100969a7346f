import { readdir, readFile } from "node:fs/promises";

/** The processes that carry the mark in their environment; those that are dead and not yet buried do not count. */
export async function markedProcesses(mark: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (!environment.includes(`LANDLINE_AGENT_MARK=${mark}`)) continue;
    const status = await readFile(`/proc/${name}/stat`, "latin1").catch(() => ") Z");
    if (!/\) [ZX]/.test(status)) found.push(Number(name));
  }
  return found;
}

/** Ends what a test left: those that went out of their group on purpose. */
export async function endMarked(mark: string): Promise<void> {
  for (const pid of await markedProcesses(mark)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended in between.
    }
  }
}
