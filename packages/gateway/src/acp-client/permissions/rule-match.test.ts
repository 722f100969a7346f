import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  editing,
  factsOf,
  fetching,
  running,
  type TestCall,
} from "../../../test/permissions/corpus/any-call.ts";
import { keptRule } from "../../../test/permissions/corpus/any-rule.ts";
import { isAbout } from "./rule-match.ts";
import type { NewRule } from "./rule.ts";

type Row = readonly [what: string, rule: Partial<NewRule>, call: TestCall, about: boolean];

const outer = mkdtempSync(join(realpathSync(tmpdir()), "landline-match-"));
const project = join(outer, "project");
mkdirSync(project);
mkdirSync(join(outer, "elsewhere"));
symlinkSync(join(outer, "elsewhere"), join(project, "link"));
afterAll(() => rmSync(outer, { recursive: true }));

const inProject = { in: "project", folder: "/repo" } as const;
const link = { ...editing("link"), session: { cwd: project, roots: [project] } };
const edits = { toolKind: "edit" } as const;
const edit = { kind: "edit" };
const inFolder = (cwd: string) => ({ session: { cwd, roots: [cwd] } });
const variables = (command: string) => ({ rawInput: { command, env: { A: "1" } } });

const rows: readonly Row[] = [
  // Where.
  ["everywhere", {}, {}, true],
  ["the same session", { where: { in: "session", sessionId: "session-1" } }, {}, true],
  ["another session", { where: { in: "session", sessionId: "session-2" } }, {}, false],
  ["the project", { where: inProject }, {}, true],
  ["below the project", { where: inProject }, inFolder("/repo/packages/a"), true],
  ["beside the project", { where: inProject }, inFolder("/repository"), false],
  ["above the project", { where: inProject }, inFolder("/"), false],
  ["a folder named ..x", { where: inProject }, inFolder("/repo/..x"), true],

  // Who and with what.
  ["the agent", { what: { agent: "claude" } }, {}, true],
  ["another agent", { what: { agent: "codex" } }, {}, false],
  ["the kind", { what: { toolKind: "fetch" } }, { kind: "fetch" }, true],
  ["another kind", { what: { toolKind: "fetch" } }, { kind: "read" }, false],
  ["no kind", { what: { toolKind: "fetch" } }, {}, false],
  ["the tool", { what: { toolName: "Bash" } }, { name: "Bash" }, true],
  ["no tool", { what: { toolName: "Bash" } }, {}, false],
  ["one of two wrong", { what: { toolName: "Bash", agent: "codex" } }, { name: "Bash" }, false],

  // From where.
  ["the host", { what: { host: "a.com" } }, fetching("a.com"), true],
  ["another host", { what: { host: "a.com" } }, fetching("b.a.com"), false],
  ["a port", { what: { host: "a.com" } }, fetching("a.com:81"), false],
  ["two hosts", { what: { host: "a.com" } }, fetching("a.com", "b.com"), false],
  ["no host", { what: { host: "a.com" } }, { kind: "fetch" }, false],
  [
    "the host, and no fetch",
    { what: { host: "a.com" } },
    { ...fetching("a.com"), kind: null },
    false,
  ],
  [
    "the host, and a URL that can't be parsed",
    { what: { host: "a.com" } },
    { kind: "fetch", rawInput: { url: "https://a.com", uri: 5 } },
    false,
  ],
  ["a command for a host", { what: { host: "a.com" } }, running("curl a.com"), false],

  // Commands.
  ["a command", { what: { commandPrefix: "npm test" } }, running("npm test -- x"), true],
  ["words", { what: { commandPrefix: "npm test" } }, running(["npm", "test", "x"]), true],
  ["odd words", { what: { commandPrefix: "npm test" } }, running(["npm", "test", ";x"]), false],
  ["one long word", { what: { commandPrefix: "npm test" } }, running(["npm test"]), false],
  ["more than it", { what: { commandPrefix: "npm test" } }, running("npm test; x"), false],
  [
    "an option that runs another",
    { what: { commandPrefix: "rg" } },
    running("rg --pre ./x y"),
    false,
  ],
  [
    "its beginning",
    { what: { commandPrefix: "git fetch" } },
    running("git fetch --upl=./x a"),
    false,
  ],
  [
    "in words",
    { what: { commandPrefix: "go test" } },
    running(["go", "test", "-exec", "./x"]),
    false,
  ],
  ["an unknown option", { what: { commandPrefix: "npm test" } }, running("npm test --pre"), false],
  [
    "another folder",
    { what: { commandPrefix: "npm test" } },
    running("npm test --prefix /elsewhere"),
    false,
  ],
  [
    "another folder of the project",
    { what: { commandPrefix: "npm test" } },
    running("npm --prefix packages/a test"),
    false,
  ],
  [
    "with a reading command",
    { what: { commandPrefix: "npm test" } },
    running("cd src && npm test | tail -5"),
    true,
  ],
  ["only reading commands", { what: { commandPrefix: "npm test" } }, running("ls src"), false],
  ["into a file", { what: { commandPrefix: "npm test" } }, running("npm test > out.txt"), false],
  [
    "with a credential",
    { what: { commandPrefix: "npm test" } },
    running("npm test; cat .env"),
    false,
  ],
  [
    "with a file outside",
    { what: { commandPrefix: "npm test" } },
    running("npm test; cat ~/x"),
    false,
  ],
  ["any command on a credential", { what: { toolKind: "execute" } }, running("cat .env"), false],
  ["any command outside", { what: { toolKind: "execute" } }, running("rm /etc/x"), false],
  [
    "any command that writes a protected place",
    { what: { toolKind: "execute" } },
    running("cp a .git/hooks/pre-commit"),
    false,
  ],
  [
    "an unknown program on a credential",
    { what: { commandPrefix: "mytool" } },
    running("mytool --file=.env"),
    false,
  ],
  [
    "an unknown program outside",
    { what: { toolKind: "execute" } },
    running("mytool -C../x"),
    false,
  ],
  ["an unknown program", { what: { commandPrefix: "mytool" } }, running("mytool a b"), true],
  ["a line that can't be parsed", { what: { toolKind: "execute" } }, running("ls 'a"), false],
  ["a reading command", { what: { onlyReads: true } }, running("ls src | wc -l"), true],
  [
    "a search above the gateway's own files",
    { what: { onlyReads: true } },
    { ...running("grep -r x ."), session: { closed: ["/repo/data"] } },
    false,
  ],
  ["a search that leaves them out", { what: { onlyReads: true } }, running("rg x"), true],
  ["a command that runs code", { what: { onlyReads: true } }, running("npm test"), false],
  ["a command that reads outside", { what: { onlyReads: true } }, running("cat /etc/hosts"), false],
  ["a command that reads a credential", { what: { onlyReads: true } }, running("cat .env"), false],
  ["a read that is not a command", { what: { onlyReads: true } }, editing("/repo/a"), false],
  [
    "a command that calls itself an edit",
    { what: { toolKind: "edit" } },
    { ...running("rm a"), ...edit },
    false,
  ],
  [
    "a command that shows a change",
    { what: { commandPrefix: "npm test" } },
    { ...running("npm test"), content: [{ type: "diff", path: "a", newText: "" }] },
    false,
  ],
  [
    "a command and a file outside",
    { what: { commandPrefix: "npm test" } },
    { ...editing("/etc/x"), ...running("npm test") },
    false,
  ],
  ["a short option", { what: { commandPrefix: "go test" } }, running("go test -v ./..."), true],
  [
    "one that was allowed",
    { what: { commandPrefix: "rg --pre ./x y" } },
    running("rg --pre ./x y"),
    true,
  ],
  [
    "one that was allowed, and another like it",
    { what: { commandPrefix: "rg --pre ./x" } },
    running("rg --pre ./x --pre ./y z"),
    false,
  ],
  [
    "a program that runs anything",
    { what: { commandPrefix: "sudo" } },
    running("sudo npm test"),
    true,
  ],
  ["no command", { what: { commandPrefix: "npm test" } }, {}, false],
  ["in the project", { what: { commandPrefix: "ls" } }, running("ls", "/repo/a"), true],
  ["run elsewhere", { what: { commandPrefix: "ls" } }, running("ls", "/tmp"), false],
  [
    "run in an unknown folder",
    { what: { commandPrefix: "ls" } },
    running("ls", "~nobody/x"),
    false,
  ],
  ["any command", { what: { toolKind: "execute" } }, running("npm test; x"), true],
  [
    "a program that only the shell knows",
    { what: { toolKind: "execute" } },
    running("$X a"),
    false,
  ],
  ["any command elsewhere", { what: { toolKind: "execute" } }, running("ls", "/tmp"), false],
  ["a command with variables", { what: { commandPrefix: "ls" } }, variables("ls"), false],
  ["a path rule and a command", { what: { pathGlob: "**" } }, running("rm a"), false],
  [
    "a path rule and a command with paths",
    { what: { pathGlob: "**" } },
    { ...editing("/repo/a"), ...running("rm a") },
    false,
  ],

  // Calls that are not completely known.
  ["two kinds", { what: { toolKind: "edit" } }, { before: edit, kind: "execute" }, false],
  ["two names", { what: { toolName: "Bash" } }, { before: { name: "Bash" }, name: "Other" }, false],
  [
    "an unknown field",
    { what: { toolKind: "fetch" } },
    { kind: "fetch", rawInput: { gadget: "x" } },
    false,
  ],
  [
    "a field of a named tool",
    { what: { toolName: "search" } },
    { name: "search", rawInput: { gadget: "x" } },
    true,
  ],
  [
    "a field of a named tool that points outside",
    { what: { toolName: "search" } },
    { name: "search", rawInput: { gadget: "/etc" } },
    false,
  ],
  [
    "a field of a named tool that edits",
    { what: { toolName: "Write" } },
    { ...editing("/repo/a"), name: "Write", rawInput: { gadget: "x" } },
    false,
  ],

  // Paths.
  ["a credential", { what: { pathGlob: ".env" } }, editing("/repo/.env"), false],
  ["a protected place", { what: { pathGlob: ".git/**" } }, editing("/repo/.git/config"), false],
  [
    "a protected place that is read",
    { what: { toolKind: "read" } },
    { ...editing("/repo/.git/config"), kind: "read" },
    true,
  ],
  [
    "a credential that is read",
    { what: { toolKind: "read" } },
    { ...editing("/repo/.env"), kind: "read" },
    false,
  ],
  ["a read without a path", { what: { toolKind: "read" } }, { kind: "read" }, false],
  ["a file", { what: { pathGlob: "src/**" } }, editing("/repo/src/a/b.ts"), true],
  ["by absolute glob", { what: { pathGlob: "/repo/src/*" } }, editing("/repo/src/a"), true],
  ["another file", { what: { pathGlob: "src/**" } }, editing("/repo/test/a"), false],
  ["one of two", { what: { pathGlob: "src/**" } }, editing("/repo/src/a", "/repo/b"), false],
  ["no file", { what: { pathGlob: "**" } }, edit, false],
  ["outside", { what: { pathGlob: "**" } }, editing("/etc/passwd"), false],
  ["outside, by name", { what: { pathGlob: "/etc/*" } }, editing("/etc/passwd"), false],
  ["a link to the outside", { what: { pathGlob: "**" } }, link, false],
  ["a link to the outside, any edit", { what: edits }, link, false],
  [
    "in another root",
    { what: { pathGlob: "*" } },
    { ...editing("/b/x"), session: { roots: ["/b"] } },
    true,
  ],
  [
    "in a root, not the project",
    { where: inProject },
    { ...editing("/b/x"), session: { roots: ["/b"] } },
    false,
  ],
  ["the gateway's own files", { what: edits }, editing("/repo/.data/rules.json"), false],
  [
    "the gateway's own files, by name",
    { what: { pathGlob: ".data/**" } },
    editing("/repo/.data/x"),
    false,
  ],
  ["run among them", { what: { commandPrefix: "ls" } }, running("ls", "/repo/.data"), false],
  ["any edit inside", { what: edits }, editing("/repo/a"), true],
  ["any edit outside", { what: edits }, editing("/a"), false],
  ["an edit that names nothing", { what: edits }, edit, false],
  ["not all paths known", { what: edits }, editing("/repo/a", "~nobody/b"), false],
];

describe("a rule that allows", () => {
  it.each(rows)("%s", async (_what, rule, call, about) => {
    expect(isAbout(keptRule(rule), await factsOf(call))).toBe(about);
  });
});

const cautious: readonly Row[] = [
  [
    "a host among others",
    { what: { host: "a.com" } },
    { ...fetching("b.com", "a.com"), kind: null },
    true,
  ],
  ["another host", { what: { host: "a.com" } }, fetching("b.com"), false],
  ["any port", { what: { host: "a.com" } }, fetching("a.com:8443"), true],
  ["any port of a number", { what: { host: "[::1]" } }, fetching("[::1]:8443"), true],
  ["the port", { what: { host: "a.com:81" } }, fetching("a.com:81"), true],
  ["another port", { what: { host: "a.com:81" } }, fetching("a.com:82"), false],
  ["no port", { what: { host: "a.com:81" } }, fetching("a.com"), false],
  ["whatever the kind", { what: { host: "a.com" } }, { ...fetching("a.com"), kind: "other" }, true],
  ["from wherever", { what: { host: "a.com" } }, { kind: "fetch" }, true],
  [
    "from a URL that can't be parsed",
    { what: { host: "a.com" } },
    { kind: "fetch", rawInput: { url: "https://b.com", uri: 5 } },
    true,
  ],
  ["no fetch", { what: { host: "a.com" } }, { kind: "read" }, false],
  ["a command inside a line", { what: { commandPrefix: "rm" } }, running("a; rm x"), true],
  ["a command elsewhere", { what: { commandPrefix: "rm" } }, running("rm x", "/tmp"), true],
  ["an incomplete command", { what: { commandPrefix: "rm" } }, variables("rm x"), true],
  ["another command", { what: { commandPrefix: "rm" } }, running("ls"), false],
  [
    "a command by another folder",
    { what: { commandPrefix: "npm test" } },
    running("npm --prefix x test"),
    true,
  ],
  ["a command by its path", { what: { commandPrefix: "rm" } }, running("/opt/x/rm y"), true],
  ["a file of a command", { what: { pathGlob: "**/.env" } }, running("cat a/.env"), true],
  ["one of two kinds", { what: edits }, { before: { kind: "read" }, ...edit }, true],
  [
    "one of two names",
    { what: { toolName: "Bash" } },
    { before: { name: "x" }, name: "Bash" },
    true,
  ],
  ["a possible file", { what: { pathGlob: "/etc/**" } }, { rawInput: { gadget: "/etc/x" } }, true],
  ["one file of two", { what: { pathGlob: "**/.env" } }, editing("/repo/a", "/repo/b/.env"), true],
  ["a file outside", { what: { pathGlob: "**/.env" } }, editing("/home/x/.env"), true],
  ["an absolute glob", { what: { pathGlob: "/etc/**" } }, editing("/etc/passwd"), true],
  ["the target of a link", { what: { pathGlob: `${outer}/elsewhere` } }, link, true],
  ["the name of a link", { what: { pathGlob: "link" } }, link, true],
  ["another file", { what: { pathGlob: "**/.env" } }, editing("/repo/a"), false],
  ["an edit that names nothing", { what: edits }, edit, true],
  ["not all paths known", { what: edits }, editing("~nobody/b"), true],
  ["another session", { where: { in: "session", sessionId: "session-2" } }, {}, false],
];

describe.each(["deny", "ask"] as const)("a rule to %s", (decision) => {
  it.each(cautious)("%s", async (_what, rule, call, about) => {
    expect(isAbout(keptRule({ ...rule, decision }), await factsOf(call))).toBe(about);
  });
});

/** Calls of a tool named "run" that are too large to be read completely; each would run `rm` and read a credential. */
const many = (count: number, one: (at: number) => unknown) =>
  Array.from({ length: count }, (_, at) => one(at));
const command = "rm /etc/shadow";
const tooMuch: readonly (readonly [string, TestCall])[] = [
  ["a long text beside the command", { rawInput: { command, pad: "x".repeat(100_001) } }],
  ["many commands", { rawInput: { commands: [...many(65, (at) => `echo ${at}`), command] } }],
  ["a long command", { rawInput: { command: `${command} ${"x".repeat(40_000)}` } }],
  ["a long command before it", { rawInput: { commands: ["x ".repeat(20_000), command] } }],
  ["many texts", { rawInput: { pad: many(10_001, () => "x"), path: "/etc/shadow", command } }],
  ["many objects", { rawInput: { pad: many(10_001, () => ({})), path: "/etc/shadow", command } }],
  ["many paths beside it", { rawInput: { command, paths: many(2_001, (at) => `a${at}`) } }],
  ["a long title", { rawInput: { command }, title: "x".repeat(300_000) }],
];

describe.each(tooMuch)("a call with %s", (_what, given) => {
  const named = { name: "run", title: "Run" };

  it.each([{}, { kind: "other" }, { kind: "execute" }])("of %j", async (kind) => {
    const before = { ...named, ...kind };
    const facts = await factsOf({ ...named, ...given, ...kind, before });
    expect(facts.unread).not.toEqual([]);
    const isAllowedBy = (what: NewRule["what"]) => isAbout(keptRule({ what }), facts);
    for (const what of [{ toolName: "run" }, { toolKind: "execute" }, { onlyReads: true }, {}])
      expect(isAllowedBy(what as NewRule["what"])).toBe(false);
    for (const what of [{ commandPrefix: "rm" }, { toolName: "run" }])
      expect(isAbout(keptRule({ decision: "deny", what }), facts)).toBe(true);
    expect(isAbout(keptRule({ decision: "deny", what: { commandPrefix: "git" } }), facts)).toBe(
      false,
    );
  });
});

it("a deny rule finds a path among more than are resolved", async () => {
  const paths = [...many(300, (at) => `a${at}`), "/etc/shadow"];
  const facts = await factsOf({ kind: "read", rawInput: { paths } });
  const deny = keptRule({ decision: "deny", what: { pathGlob: "/etc/**" } });
  expect(isAbout(deny, facts)).toBe(true);
  expect(facts.protections).toEqual(["/etc/shadow may hold password hashes"]);
  expect(isAbout(keptRule({ what: { toolKind: "read" } }), facts)).toBe(false);
});
