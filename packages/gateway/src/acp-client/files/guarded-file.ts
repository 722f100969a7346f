import type { Purpose } from "../paths.ts";

/** Whether a sandbox keeps programs from this use of a file: a credential, or to be written and a protected place. */
export async function isGuarded(use: Purpose, paths: readonly string[]): Promise<boolean> {
  const { protectionReason } = await import("@landline/shell");
  return protectionReason(paths, use) !== null;
}
