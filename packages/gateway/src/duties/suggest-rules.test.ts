import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyFacts, commandFacts, pathsAt } from "./any-rule.ts";
import { isAbout } from "./rule-match.ts";
import { ruleBodySchema } from "./rule-schema.ts";
import type { AskFacts } from "./rule.ts";
import { suggestRules } from "./suggest-rules.ts";

const words = (facts: AskFacts) => suggestRules(facts).rules.map(({ text }) => text);
const command = (line: string | readonly string[], cwd: string | null = null) =>
  anyFacts(commandFacts(line, cwd));

describe("for a command", () => {
  it("go from the very command in the session to what it does in the project", () => {
    expect(words(command("npm test --watch 'a b'"))).toEqual([
      "Allow commands that start with “npm test --watch 'a b'”, in this session.",
      "Allow commands that start with “npm test --watch 'a b'”, in /repo.",
      "Allow commands that start with “npm test”, in /repo.",
    ]);
  });

  it.each([
    ["npm test", "npm test"],
    ["npm run build -- --minify", "npm run build"],
    ["git remote add origin x", "git remote add"],
    ["pytest -k one tests/a.py", "pytest"],
    ["./node_modules/.bin/tsc -p .", "./node_modules/.bin/tsc"],
    [["cargo", "test", "--all"], "cargo test"],
  ])("%j is what it does at its widest: %s", (line, prefix) => {
    const { rules } = suggestRules(command(line));
    expect(rules.at(-1)?.rule.what).toEqual({ commandPrefix: prefix });
  });

  it.each(["rm -rf build", "curl https://example.org", "npm --silent test", "git -C x log"])(
    "%s is allowed as it stands, and no wider",
    (line) => {
      const prefixes = suggestRules(command(line)).rules.map(({ rule }) => rule.what.commandPrefix);
      expect(new Set(prefixes)).toEqual(new Set([line]));
    },
  );

  it.each([
    ["rm *", true],
    ["curl https://example.org", true],
    ["git checkout .", true],
    ["npm test", false],
    ["git log", false],
  ])("%s is marked as one to read before it is saved: %s", (line, isRisky) => {
    const { rules } = suggestRules(command(line));
    expect(rules.map((rule) => rule.isRisky)).toEqual(rules.map(() => isRisky));
    expect(rules[0]?.rule).toMatchObject({
      what: { commandPrefix: line },
      where: { in: "session" },
    });
  });

  it.each([
    ["npm test && rm -rf /", /more than one plain command/],
    ["FOO=1 npm test", /more than one plain command/],
    ["cat $(ls)", /more than one plain command/],
    ["", /more than one plain command/],
    ["sudo npm test", /“sudo” can run any other command/],
    ["bash build.sh", /“bash” can run any/],
    ["/usr/bin/env npm test", /can run any/],
    ["node build.js", /can run any/],
    ["npx vitest", /can run any/],
    ["npm exec vitest", /can run any/],
    ["npm", /can run any/],
    ["git -C x rebase main", /can run any/],
    ["find . -name x", /can run any/],
    ["python3.12 -m build", /can run any/],
    ["/usr/bin/PYTHON3 build.py", /can run any/],
    ["cmd.exe /c dir", /can run any/],
    ["fd -x rm", /can run any/],
    ["git grep -Osh x", /can run any/],
    ["corepack pnpm dlx x", /can run any/],
    ["npm create vite", /can run any/],
    [["bash", "-lc", "a b", "more"], /can run any/],
    [["echo", "a b\\c"], /more than one plain command/],
  ])("%j has none, and says why", (line, reason) => {
    const suggested = suggestRules(command(line));
    expect(suggested.rules).toEqual([]);
    expect(suggested.reason).toMatch(reason);
  });

  it.each(["RM -rf build", "git push --receive-pack=./x origin", "rg --pre ./x y"])(
    "%s is not allowed by a wider one either",
    (line) => {
      const prefixes = suggestRules(command(line)).rules.map(({ rule }) => rule.what.commandPrefix);
      expect(new Set(prefixes)).toEqual(new Set([line]));
    },
  );

  it("has none when it may be more than it says, or runs elsewhere", () => {
    const facts = commandFacts("npm test");
    const unsure = anyFacts({ ...facts, command: { ...facts.command, isWhole: false } });
    expect(suggestRules(unsure)).toMatchObject({ rules: [], reason: /certain/ });
    expect(suggestRules(command("npm test", "/elsewhere"))).toMatchObject({
      rules: [],
      reason: /outside/,
    });
  });
});

describe("for a call that names files", () => {
  it("go from this file to its folder to the kind of tool", () => {
    expect(words(anyFacts(pathsAt("/repo/src/lib/a.ts")))).toEqual([
      "Allow editing on files that match “src/lib/a.ts”, in this session.",
      "Allow editing on files that match “src/lib/a.ts”, in /repo.",
      "Allow editing on files that match “src/lib/**”, in /repo.",
      "Allow editing, in /repo.",
    ]);
  });

  it("name the folder that several share, and none where that is the project", () => {
    expect(words(anyFacts(pathsAt("/repo/src/a.ts", "/repo/src/x/b.ts")))).toEqual([
      "Allow editing on files that match “src/**”, in /repo.",
      "Allow editing, in /repo.",
    ]);
    expect(words(anyFacts(pathsAt("/repo/a.ts", "/repo/src/b.ts")))).toEqual([
      "Allow editing, in /repo.",
    ]);
  });

  it("are for the session alone in another of its folders", () => {
    const facts = anyFacts({ ...pathsAt("/other/src/a.ts"), roots: ["/repo", "/other"] });
    expect(words(facts)).toEqual([
      "Allow editing on files that match “src/a.ts”, in this session.",
    ]);
  });

  it.each([
    [pathsAt("/etc/passwd"), /outside/],
    [pathsAt("/repo/.data/rules.json"), /outside/],
    [{ ...pathsAt("/repo/a"), arePathsKnown: false }, /certain/],
    [{ toolKind: "edit" }, /which files/],
    [{ toolKind: "switch_mode" }, /mode/],
    [{ toolKind: "other" }, /neither a kind nor a name/],
    [{ toolKind: null }, /neither a kind nor a name/],
    [{ toolKind: "dance" }, /neither a kind nor a name/],
    [{ toolKind: "other", toolName: "run_sql" }, /any command/],
    [{ toolKind: "other", toolName: "browserEvaluate" }, /any command/],
  ] as const)("%j has none, and says why", (facts, reason) => {
    const suggested = suggestRules(anyFacts(facts));
    expect(suggested.rules).toEqual([]);
    expect(suggested.reason).toMatch(reason);
  });

  it.each(["edit\u202Etxt", "a\u2028b", "x” everywhere, or with “y"])(
    "skip a name that would read as something else: %j",
    (name) => {
      expect(words(anyFacts(pathsAt(`/repo/${name}`)))).toEqual(["Allow editing, in /repo."]);
      expect(words(anyFacts({ toolKind: "other", toolName: name }))).toEqual([]);
    },
  );

  it("skip a name that a rule would read as more than one file", () => {
    expect(words(anyFacts(pathsAt("/repo/src/*.ts")))).toEqual([
      "Allow editing on files that match “src/**”, in /repo.",
      "Allow editing, in /repo.",
    ]);
  });
});

it("for a call without files are about its kind, or its name", () => {
  expect(words(anyFacts({ toolKind: "fetch" }))).toEqual([
    "Allow fetching from the network, in this session.",
    "Allow fetching from the network, in /repo.",
  ]);
  expect(words(anyFacts({ toolKind: "other", toolName: "mcp__github__search_code" }))).toEqual([
    "Allow tools of no known kind with the tool “mcp__github__search_code”, in this session.",
    "Allow tools of no known kind with the tool “mcp__github__search_code”, in /repo.",
  ]);
});

it("for a fetch begin with its host, where there is one", () => {
  expect(words(anyFacts({ toolKind: "fetch", hosts: ["example.com"] }))).toEqual([
    "Allow fetching from “example.com”, in this session.",
    "Allow fetching from “example.com”, in /repo.",
    "Allow fetching from the network, in this session.",
    "Allow fetching from the network, in /repo.",
  ]);
  expect(words(anyFacts({ toolKind: "fetch", hosts: ["a.com", "b.com"] }))).toHaveLength(2);
});

const shellText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."ab -/='\"\\$`;&|<>(){}#!*?\t\n~.,:".split("")),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 20,
});
const anyWord = fc.oneof(
  shellText,
  fc.constantFrom("npm", "git", "run", "test", "-C", "--x", "rm", "node", "npx", "exec"),
);
const anyLine = fc.oneof(
  shellText,
  fc.array(anyWord, { maxLength: 5 }).map((parts) => parts.join(" ")),
  fc.array(anyWord, { maxLength: 5 }),
);
const anyPath = fc
  .tuple(
    fc.constantFrom("/repo", "/other", "/repo/.data", "/", "/repo-2"),
    fc.array(fc.oneof(fc.constantFrom("src", "a.ts", "{a,b}", "*", "..x"), shellText), {
      maxLength: 4,
    }),
  )
  .map(([root, parts]) =>
    [root, ...parts.map((part) => part.replaceAll(/[/\0]/g, "_") || "_")].join("/"),
  );
const factsArbitrary = fc
  .record({
    toolKind: fc.constantFrom(null, "read", "edit", "execute", "other", "search", "fetch", "dance"),
    toolName: fc.oneof(fc.constant(null), shellText),
    line: fc.option(anyLine),
    cwd: fc.constantFrom(null, "/repo/x", "/elsewhere", "/repo/.data"),
    isWhole: fc.boolean(),
    paths: fc.array(anyPath, { maxLength: 3 }),
    hosts: fc.array(fc.constantFrom("example.com", "localhost:8080"), { maxLength: 2 }),
    arePathsKnown: fc.boolean(),
    roots: fc.constantFrom(["/repo"], ["/repo", "/other"]),
  })
  .map(({ line, cwd, isWhole, paths, ...rest }) =>
    anyFacts({
      ...rest,
      command: line === null ? null : { line, cwd, isWhole },
      paths: paths.map((path) => ({ named: path, real: path })),
    }),
  );

describe("each suggestion", () => {
  it("allows the ask that it was made for, can be saved, and is told from the others", () => {
    fc.assert(
      fc.property(factsArbitrary, (facts) => {
        const { rules, reason } = suggestRules(facts);
        expect(rules.length === 0).toBe(reason !== undefined);
        for (const { rule, text } of rules) {
          expect(rule.decision).toBe("allow");
          expect(isAbout({ ...rule, id: "", at: 0, by: "" }, facts)).toBe(true);
          expect(ruleBodySchema.safeParse(rule).success).toBe(true);
          expect(text).not.toContain("any command");
        }
        expect(new Set(rules.map(({ text }) => text)).size).toBe(rules.length);
      }),
      { numRuns: 2_000 },
    );
  });
});
