import { asksLess, type PermissionLevel } from "../config/permission-level.ts";
import type { SessionRecord } from "./record.ts";
import { applyRecord, type SessionState } from "./state.ts";

/**
 * Ends a level that a person chose before the session was opened and that asks less than the configured one:
 * the person who chose it may not be there any more.
 */
export function resetLevel(
  state: SessionState,
  configured: PermissionLevel,
  append: (record: SessionRecord) => void,
): void {
  const chosen = state.chosenPermissions;
  if (chosen !== null && asksLess(chosen, configured)) {
    const record = { permissions: configured, resetFrom: chosen, at: Date.now() };
    append({ kind: "options-changed", ...record });
    applyRecord(state, { kind: "options-changed", ...record });
  }
  configureLevel(state, configured);
}

/** The configured level counts where nobody chose one. */
export function configureLevel(state: SessionState, configured: PermissionLevel): void {
  state.permissions = state.chosenPermissions ?? configured;
}
