import { protectionOf, protectionReason } from "@landline/shell";
import { patternOf, type PermissionRequest } from "./rule.ts";

/**
 * Why only a person may allow a read or an edit: protected places and credentials among its paths. Judged here for every
 * tool at once, so that no tool can forget it.
 */
export function protectionsOf(request: PermissionRequest): readonly string[] {
  const { permission, patterns, paths = [] } = request;
  if (permission !== "read" && permission !== "edit") return [];
  return protectedAmong([...patterns.map(patternOf), ...paths], permission);
}

/** For people, one clause for each kind of thing that is protected. */
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

/** What a path may hold, for files that are not read without a question; null for all others. */
export function credentialAt(...paths: readonly string[]): string | null {
  const found = paths.map(protectionOf).find((protection) => protection?.kind === "credential");
  return found?.what ?? null;
}
