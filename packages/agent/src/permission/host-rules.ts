import { matchesPattern, matchesWildcard } from "./evaluate.ts";
import { EXTERNAL_HOST, type PermissionRequest, type Policy } from "./rule.ts";

/** A question about a host that a command wants to reach. */
export function hostRequest(host: string): PermissionRequest {
  const name = host.replace(/:\d+$/, "");
  return { permission: EXTERNAL_HOST, patterns: [name], always: [], hosts: [name] };
}

/** A question about all hosts. An answer or a rule for one of them does not allow the others. */
export function networkRequest(host: string | null): PermissionRequest {
  const { patterns, hosts = [] } = host === null ? { patterns: [] } : hostRequest(host);
  const all = { pattern: "*", isUnreadable: true };
  return { permission: EXTERNAL_HOST, patterns: [all, ...patterns], always: [], hosts };
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
