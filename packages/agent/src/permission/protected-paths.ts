import { protectionOf, protectionReason } from "@landline/shell";
import { patternOf, type PermissionRequest } from "./rule.ts";

/** Protected places and credentials among the paths of a read or an edit. Checked here for all tools. */
export function protectionsOf(request: PermissionRequest): readonly string[] {
  const { permission, patterns, paths = [] } = request;
  if (permission !== "read" && permission !== "edit") return [];
  return protectedAmong([...patterns.map(patternOf), ...paths], permission);
}

/** One clause for the user per kind of protected thing. */
export function protectedAmong(
  paths: readonly string[],
  access: "read" | "edit",
): readonly string[] {
  const reasons = new Map<string, string>();
  for (const path of paths) {
    const what = protectionOf(path)?.what;
    const reason = protectionReason([path], access === "edit" ? "write" : "read");
    if (what !== undefined && reason && !reasons.has(what)) reasons.set(what, reason.message);
  }
  return [...reasons.values()];
}

/** What a credential file may contain; null for other files. */
export function credentialAt(...paths: readonly string[]): string | null {
  const found = paths.map(protectionOf).find((protection) => protection?.kind === "credential");
  return found?.what ?? null;
}
