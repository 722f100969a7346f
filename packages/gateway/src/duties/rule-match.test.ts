import { describe, expect, it } from "vitest";
import { anyFacts, commandFacts, keptRule, pathsAt } from "./any-rule.ts";
import { isAbout } from "./rule-match.ts";
import type { AskFacts, NewRule } from "./rule.ts";

type Row = readonly [
  what: string,
  rule: Partial<NewRule>,
  facts: Partial<AskFacts>,
  about: boolean,
];

const inProject = { in: "project", folder: "/repo" } as const;
const link = { toolKind: "edit", paths: [{ named: "/repo/link", real: "/etc/passwd" }] } as const;
const edits = { toolKind: "edit" } as const;

const rows: readonly Row[] = [
  // Where.
  ["everywhere", {}, {}, true],
  ["the same session", { where: { in: "session", sessionId: "session-1" } }, {}, true],
  ["another session", { where: { in: "session", sessionId: "session-2" } }, {}, false],
  ["the project", { where: inProject }, {}, true],
  ["below the project", { where: inProject }, { cwd: "/repo/packages/a" }, true],
  ["beside the project", { where: inProject }, { cwd: "/repository" }, false],
  ["above the project", { where: inProject }, { cwd: "/" }, false],
  ["a folder called ..x", { where: inProject }, { cwd: "/repo/..x" }, true],

  // Who and with what.
  ["the agent", { what: { agent: "claude" } }, {}, true],
  ["another agent", { what: { agent: "codex" } }, {}, false],
  ["the kind", { what: { toolKind: "fetch" } }, { toolKind: "fetch" }, true],
  ["another kind", { what: { toolKind: "fetch" } }, { toolKind: "read" }, false],
  ["no kind", { what: { toolKind: "fetch" } }, {}, false],
  ["the tool", { what: { toolName: "Bash" } }, { toolName: "Bash" }, true],
  ["no tool", { what: { toolName: "Bash" } }, {}, false],
  ["one of two wrong", { what: { toolName: "Bash", agent: "codex" } }, { toolName: "Bash" }, false],

  // From where.
  ["the host", { what: { host: "a.com" } }, { toolKind: "fetch", hosts: ["a.com"] }, true],
  ["another host", { what: { host: "a.com" } }, { toolKind: "fetch", hosts: ["b.a.com"] }, false],
  ["a port", { what: { host: "a.com" } }, { toolKind: "fetch", hosts: ["a.com:81"] }, false],
  [
    "two hosts",
    { what: { host: "a.com" } },
    { toolKind: "fetch", hosts: ["a.com", "b.com"] },
    false,
  ],
  ["no host", { what: { host: "a.com" } }, { toolKind: "fetch" }, false],
  ["the host, and no fetch", { what: { host: "a.com" } }, { hosts: ["a.com"] }, false],
  [
    "the host, and what can't be read",
    { what: { host: "a.com" } },
    { toolKind: "fetch", hosts: ["a.com"], areHostsKnown: false },
    false,
  ],
  ["a command for a host", { what: { host: "a.com" } }, commandFacts("curl a.com"), false],

  // Commands.
  ["a command", { what: { commandPrefix: "npm test" } }, commandFacts("npm test -- x"), true],
  ["words", { what: { commandPrefix: "npm test" } }, commandFacts(["npm", "test", "x"]), true],
  [
    "odd words",
    { what: { commandPrefix: "npm test" } },
    commandFacts(["npm", "test", ";x"]),
    false,
  ],
  ["one long word", { what: { commandPrefix: "npm test" } }, commandFacts(["npm test"]), false],
  ["more than it", { what: { commandPrefix: "npm test" } }, commandFacts("npm test; x"), false],
  [
    "an option that runs another",
    { what: { commandPrefix: "rg" } },
    commandFacts("rg --pre ./x y"),
    false,
  ],
  [
    "its beginning",
    { what: { commandPrefix: "git fetch" } },
    commandFacts("git fetch --upl=./x a"),
    false,
  ],
  [
    "in words",
    { what: { commandPrefix: "go test" } },
    commandFacts(["go", "test", "-exec", "./x"]),
    false,
  ],
  [
    "the same option of another",
    { what: { commandPrefix: "npm test" } },
    commandFacts("npm test --pre"),
    true,
  ],
  [
    "a short option",
    { what: { commandPrefix: "go test" } },
    commandFacts("go test -v ./..."),
    true,
  ],
  [
    "one that was allowed",
    { what: { commandPrefix: "rg --pre ./x" } },
    commandFacts("rg --pre ./x y"),
    true,
  ],
  ["no command", { what: { commandPrefix: "npm test" } }, {}, false],
  ["in the project", { what: { commandPrefix: "ls" } }, commandFacts("ls", "/repo/a"), true],
  ["run elsewhere", { what: { commandPrefix: "ls" } }, commandFacts("ls", "/tmp"), false],
  ["run nowhere known", { what: { commandPrefix: "ls" } }, commandFacts("ls", ""), false],
  ["any command", { what: { toolKind: "execute" } }, commandFacts("npm test; x"), true],
  ["any command elsewhere", { what: { toolKind: "execute" } }, commandFacts("ls", "/tmp"), false],
  [
    "a command with variables",
    { what: { commandPrefix: "ls" } },
    { command: { line: "ls", cwd: null, isWhole: false } },
    false,
  ],
  ["a path rule and a command", { what: { pathGlob: "**" } }, commandFacts("rm a"), false],
  [
    "a path rule and a command with paths",
    { what: { pathGlob: "**" } },
    { ...pathsAt("/repo/a"), ...commandFacts("rm a") },
    false,
  ],

  // Paths.
  ["a read that does not say of what", { what: { toolKind: "read" } }, { toolKind: "read" }, false],
  ["a file", { what: { pathGlob: "src/**" } }, pathsAt("/repo/src/a/b.ts"), true],
  ["by absolute glob", { what: { pathGlob: "/repo/src/*" } }, pathsAt("/repo/src/a"), true],
  ["another file", { what: { pathGlob: "src/**" } }, pathsAt("/repo/test/a"), false],
  ["one of two", { what: { pathGlob: "src/**" } }, pathsAt("/repo/src/a", "/repo/b"), false],
  ["no file", { what: { pathGlob: "**" } }, edits, false],
  ["outside", { what: { pathGlob: "**" } }, pathsAt("/etc/passwd"), false],
  ["outside, by name", { what: { pathGlob: "/etc/*" } }, pathsAt("/etc/passwd"), false],
  ["a link that leads out", { what: { pathGlob: "**" } }, link, false],
  ["a link that leads out, any edit", { what: edits }, link, false],
  ["in another root", { what: { pathGlob: "*" } }, { ...pathsAt("/b/x"), roots: ["/b"] }, true],
  [
    "in a root, not the project",
    { where: inProject },
    { ...pathsAt("/b/x"), roots: ["/b"] },
    false,
  ],
  ["the gateway's own files", { what: edits }, pathsAt("/repo/.data/rules.json"), false],
  [
    "the gateway's own, by name",
    { what: { pathGlob: ".data/**" } },
    pathsAt("/repo/.data/x"),
    false,
  ],
  ["run among them", { what: { commandPrefix: "ls" } }, commandFacts("ls", "/repo/.data"), false],
  ["any edit inside", { what: edits }, pathsAt("/repo/a"), true],
  ["any edit outside", { what: edits }, pathsAt("/a"), false],
  ["an edit that names nothing", { what: edits }, edits, false],
  ["not all paths known", { what: edits }, { ...pathsAt("/repo/a"), arePathsKnown: false }, false],
];

describe("a rule that allows", () => {
  it.each(rows)("%s", (_what, rule, facts, about) => {
    expect(isAbout(keptRule(rule), anyFacts(facts))).toBe(about);
  });
});

const cautious: readonly Row[] = [
  ["a host among others", { what: { host: "a.com" } }, { hosts: ["b.com", "a.com"] }, true],
  ["another host", { what: { host: "a.com" } }, { toolKind: "fetch", hosts: ["b.com"] }, false],
  ["any port", { what: { host: "a.com" } }, { toolKind: "fetch", hosts: ["a.com:8443"] }, true],
  ["any port of a number", { what: { host: "[::1]" } }, { hosts: ["[::1]:8443"] }, true],
  ["the port", { what: { host: "a.com:81" } }, { hosts: ["a.com:81"] }, true],
  ["another port", { what: { host: "a.com:81" } }, { hosts: ["a.com:82"] }, false],
  ["no port", { what: { host: "a.com:81" } }, { hosts: ["a.com"] }, false],
  ["whatever the kind", { what: { host: "a.com" } }, { toolKind: "other", hosts: ["a.com"] }, true],
  ["from wherever", { what: { host: "a.com" } }, { toolKind: "fetch" }, true],
  [
    "from what can't be read",
    { what: { host: "a.com" } },
    { toolKind: "fetch", hosts: ["b.com"], areHostsKnown: false },
    true,
  ],
  ["no fetch", { what: { host: "a.com" } }, { toolKind: "read" }, false],
  ["a command inside a line", { what: { commandPrefix: "rm" } }, commandFacts("a; rm x"), true],
  ["a command elsewhere", { what: { commandPrefix: "rm" } }, commandFacts("rm x", "/tmp"), true],
  [
    "a command that is not whole",
    { what: { commandPrefix: "rm" } },
    { command: { line: "rm x", cwd: null, isWhole: false } },
    true,
  ],
  ["another command", { what: { commandPrefix: "rm" } }, commandFacts("ls"), false],
  ["one file of two", { what: { pathGlob: "**/.env" } }, pathsAt("/repo/a", "/repo/b/.env"), true],
  ["a file outside", { what: { pathGlob: "**/.env" } }, pathsAt("/home/x/.env"), true],
  ["an absolute glob", { what: { pathGlob: "/etc/**" } }, pathsAt("/etc/passwd"), true],
  ["the end of a link", { what: { pathGlob: "/etc/**" } }, link, true],
  ["the name of a link", { what: { pathGlob: "link" } }, link, true],
  ["another file", { what: { pathGlob: "**/.env" } }, pathsAt("/repo/a"), false],
  ["an edit that names nothing", { what: edits }, edits, true],
  ["not all paths known", { what: edits }, { ...edits, arePathsKnown: false }, true],
  ["another session", { where: { in: "session", sessionId: "session-2" } }, {}, false],
];

describe.each(["deny", "ask"] as const)("a rule to %s", (decision) => {
  it.each(cautious)("%s", (_what, rule, facts, about) => {
    expect(isAbout(keptRule({ ...rule, decision }), anyFacts(facts))).toBe(about);
  });
});
