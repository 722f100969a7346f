import { closeSync, openSync } from "node:fs";

/**
 * Whether this process belongs to a terminal. A terminal that closes sends SIGHUP, and then the process has none; another
 * process that sends SIGHUP does not change it.
 */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
