import { matchesPattern, matchesWildcard } from "./evaluate.ts";
import { EXTERNAL_HOST, type PermissionRequest, type Policy } from "./rule.ts";

/** The request for a host that a command wants to reach. */
export function hostRequest(host: string): PermissionRequest {
  const name = host.replace(/:\d+$/, "");
  return { permission: EXTERNAL_HOST, patterns: [name], always: [], hosts: [name] };
}

/** The request for all hosts. A rule for one host does not allow the others. */
export function networkRequest(host: string | null): PermissionRequest {
  const { patterns, hosts = [] } = host === null ? { patterns: [] } : hostRequest(host);
  const all = { pattern: "*", isUnreadable: true };
  return { permission: EXTERNAL_HOST, patterns: [all, ...patterns], always: [], hosts };
}

/**
 * Whether a rule for `webfetch` denies a host; otherwise a command could reach what the fetch tool may not. A
 * deny for all addresses removes the tool and does not affect commands.
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
