import { spawnSync } from "node:child_process";
import { constants } from "node:os";

/** A process or, by a negative number, a group. One that may not be signalled exists too; so does a zombie. */
export function processExists(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** To a process. That it has ended already is what the sender wants. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // macOS answers EPERM for a group whose members have all ended and are not yet awaited.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** To the group that the process leads. Windows has neither groups nor signals: there, it and its children end at once. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32")
    spawnSync("taskkill", ["/pid", String(leader), "/T", "/F"], { windowsHide: true });
  else sendSignal(-leader, signal);
}

/** The name of a signal (9 is SIGKILL); null for a number that names none here. */
export function signalName(number: number): string | null {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
}
