import type { AskFacts, NewRule, Rule } from "./rule.ts";

/** Rules and facts for tests: name only what the test is about. */
export function anyRule(rule: Partial<NewRule> = {}): NewRule {
  return { decision: "allow", what: {}, where: { in: "everywhere" }, by: "client-1", ...rule };
}

export function keptRule(rule: Partial<NewRule> = {}): Rule {
  return { ...anyRule(rule), id: "rule-1", at: 0 };
}

export function anyFacts(facts: Partial<AskFacts> = {}): AskFacts {
  return {
    sessionId: "session-1",
    agent: "claude",
    cwd: "/repo",
    roots: ["/repo"],
    closed: ["/repo/.data"],
    toolKind: null,
    toolName: null,
    command: null,
    paths: [],
    hosts: [],
    areHostsKnown: true,
    arePathsKnown: true,
    ...facts,
  };
}

export function commandFacts(line: string | readonly string[], cwd: string | null = null) {
  return { toolKind: "execute", command: { line, cwd, isWhole: true } } as const;
}

export function pathsAt(...paths: readonly string[]) {
  return { toolKind: "edit", paths: paths.map((path) => ({ named: path, real: path })) } as const;
}
