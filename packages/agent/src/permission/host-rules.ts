import { matchesPattern, matchesWildcard } from "./evaluate.ts";
import { EXTERNAL_HOST, type PermissionRequest, type Policy } from "./rule.ts";

/** A question about a host that a command wants to reach. Null: it is not known which one. */
export function hostRequest(host: string | null): PermissionRequest {
  // A rule that denies one host may be about it.
  if (host === null)
    return {
      permission: EXTERNAL_HOST,
      patterns: [{ pattern: "*", isUnreadable: true }],
      always: [],
    };
  const name = host.replace(/:\d+$/, "");
  return { permission: EXTERNAL_HOST, patterns: [name], always: [], hosts: [name] };
}

/**
 * Whether a rule for `webfetch` denies a host. Without this, a command would reach what the fetch tool may not. A deny for
 * all addresses takes the tool away and leaves commands alone.
 */
export function isFetchDenied({ sources }: Policy, host: string): boolean {
  const addresses = [`https://${host}/`, `http://${host}/`];
  return sources.some((rules) => {
    const last = rules.findLast(
      ({ permission, pattern }) =>
        matchesWildcard(permission, "webfetch") &&
        addresses.some((address) => matchesPattern(pattern, address)),
    );
    return last?.action === "deny" && last.pattern !== "*";
  });
}
