import { asksLess, type PermissionLevel } from "../config/permission-level.ts";
import type { SessionRecord } from "./record.ts";
import { applyRecord, type SessionState } from "./state.ts";

/**
 * Ends a level that a person chose before the session was opened and that asks less than the configured one:
 * the person who chose it may not be there any more. Returns the records of it.
 */
export function resetLevel(state: SessionState, configured: PermissionLevel): SessionRecord[] {
  const records: SessionRecord[] = [];
  const chosen = state.chosenPermissions;
  if (chosen !== null && asksLess(chosen, configured)) {
    const change = { permissions: configured, resetFrom: chosen, at: Date.now() };
    records.push({ kind: "options-changed", ...change });
  }
  for (const record of records) applyRecord(state, record);
  configureLevel(state, configured);
  return records;
}

/** The configured level counts where nobody chose one. */
export function configureLevel(state: SessionState, configured: PermissionLevel): void {
  state.permissions = state.chosenPermissions ?? configured;
}
