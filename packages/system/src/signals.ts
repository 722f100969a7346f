import { spawnSync } from "node:child_process";
import { constants } from "node:os";

/** Whether a process or, for a negative number, a group exists. Includes zombies and processes of other users. */
export function processExists(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Signals a process. Ignores one that has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // macOS returns EPERM for a group of zombies.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/**
 * Signals the group of this leader. Windows has neither groups nor signals: there, the process and its children are
 * killed.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32")
    spawnSync("taskkill", ["/pid", String(leader), "/T", "/F"], { windowsHide: true });
  else sendSignal(-leader, signal);
}

/** The name of a signal (9 is SIGKILL); null for an unknown number. */
export function signalName(number: number): string | null {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}
