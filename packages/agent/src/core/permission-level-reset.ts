import { asksLess, type PermissionLevel } from "../config/permission-level.ts";
import type { SessionRecord } from "./record.ts";
import { applyRecord, type SessionState } from "./state.ts";

/**
 * Resets a chosen level that asks less than the configured one when a session is opened: the person who chose
 * it may be gone. Returns the records.
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

/** Applies the configured level unless the user chose one. */
export function configureLevel(state: SessionState, configured: PermissionLevel): void {
  state.permissions = state.chosenPermissions ?? configured;
}
