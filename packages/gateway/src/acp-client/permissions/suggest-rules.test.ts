import type { Line } from "@landline/shell";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  editing,
  factsOf,
  fetching,
  running,
  type TestCall,
} from "../../../test/permissions/corpus/any-call.ts";
import { isAbout } from "./rule-match.ts";
import { ruleBodySchema } from "./rule-schema.ts";
import { suggestRules } from "./suggest-rules.ts";

const suggested = async (call: TestCall) => suggestRules(await factsOf(call));
const words = async (call: TestCall) => (await suggested(call)).rules.map(({ text }) => text);

describe("for a command", () => {
  const others = "Other known arguments that stay in the project are allowed too.";

  it("range from the exact command in the session to its effects in the project", async () => {
    expect(await words(running("npm test -- --watch 'a b'"))).toEqual([
      `Allow commands that start with “npm test -- --watch 'a b'”, in this session. ${others}`,
      `Allow commands that start with “npm test -- --watch 'a b'”, in /repo. ${others}`,
      `Allow commands that start with “npm test”, in /repo. ${others}`,
    ]);
  });

  it("start with all reading commands, for a reading command", async () => {
    expect(await words(running("cat src/a.ts | wc -l"))).toEqual([
      "Allow commands that only read files of the project, in this session.",
      "Allow commands that only read files of the project, in /repo.",
    ]);
  });

  it("omit reading commands and the initial `cd`", async () => {
    const { rules } = await suggested(running("cd src && npm test | tail -5"));
    expect(rules.map(({ rule }) => rule.what.commandPrefix)).toEqual(["npm test", "npm test"]);
  });

  it.each<[Line, string]>([
    ["npm test", "npm test"],
    ["npm run build -- --minify", "npm run build"],
    ["pytest -k one tests/a.py", "pytest"],
    ["git add src/a.ts", "git add"],
    [["npm", "test", "--", "--all"], "npm test"],
    ["/usr/bin/env npm test", "npm test"],
  ])("%j is at its widest: %s", async (line, prefix) => {
    const { rules } = await suggested(running(line));
    expect(rules.at(-1)?.rule.what).toEqual({ commandPrefix: prefix });
  });

  it.each([
    "rm -rf build",
    "curl https://example.org",
    "npm --silent test",
    "git remote add origin x",
    "./node_modules/.bin/tsc -p .",
    "node build.js",
  ])("%s is allowed exactly, and not wider", async (line) => {
    const { rules } = await suggested(running(line));
    expect(new Set(rules.map(({ rule }) => rule.what.commandPrefix))).toEqual(new Set([line]));
  });

  it.each([
    ["rm -rf build", true],
    ["curl https://example.org", true],
    ["git checkout .", true],
    ["npm test", false],
  ])("%s is marked as risky: %s", async (line, isRisky) => {
    const { rules } = await suggested(running(line));
    expect(rules.map((rule) => rule.isRisky)).toEqual(rules.map(() => isRisky));
    expect(rules[0]?.rule).toMatchObject({
      what: { commandPrefix: line },
      where: { in: "session" },
    });
  });

  it.each<[Line, RegExp]>([
    ["npm test && rm -rf build", /several commands/],
    ["npm test > out.txt", /into a file/],
    ["FOO=1 npm test", /it sets the variable FOO/],
    ["cat $(ls)", /not known before it runs/],
    ["ls 'a", /syntax error/],
    ["", /does not say exactly what it runs/],
    ["mytool x", /the program mytool is not known/],
    ["RM -rf build", /the program RM is not known/],
    ["npm test --what", /the option --what is not known/],
    ["sudo npm test", /“sudo” can run any other command/],
    ["npx vitest", /can run any/],
    ["npm exec vitest", /can run any/],
    ["python3.12 -m build", /can run any/],
    ["git grep -Osh x", /can run any/],
    ["git push --receive-pack=./x origin", /can run any/],
    ["rg --pre ./x y", /can run any/],
    ["corepack pnpm dlx x", /can run any/],
    ["npm create vite", /can run any/],
    [["bash", "-lc", "a b", "more"], /takes arguments/],
    ["cat .env", /every time, because \/repo\/.env may hold passwords or keys/],
    ["cp a .git/hooks/pre-commit", /every time, because .*hooks/],
    ["rm /etc/x", /outside/],
    ["npm test --prefix /elsewhere", /outside/],
    ["rm *", /can't be written in a rule/],
  ])("%j has none, with a reason", async (line, because) => {
    const { rules, reason } = await suggested(running(line));
    expect(rules).toEqual([]);
    expect(reason).toMatch(because);
  });

  it("has none if it may do more than it says, or runs elsewhere", async () => {
    const unsure = { kind: "execute", rawInput: { command: "npm test", env: { A: "1" } } };
    expect(await suggested(unsure)).toMatchObject({
      rules: [],
      reason: /^Not everything that the call does is known/,
    });
    expect(await suggested(running("npm test", "/elsewhere"))).toMatchObject({
      rules: [],
      reason: /outside/,
    });
  });
});

describe("for a call that names files", () => {
  it("range from this file to its folder to the kind of tool", async () => {
    expect(await words(editing("/repo/src/lib/a.ts"))).toEqual([
      "Allow editing files that match “src/lib/a.ts”, in this session.",
      "Allow editing files that match “src/lib/a.ts”, in /repo.",
      "Allow editing files that match “src/lib/**”, in /repo.",
      "Allow editing, in /repo.",
    ]);
  });

  it("name the common folder, unless that is the project", async () => {
    expect(await words(editing("/repo/src/a.ts", "/repo/src/x/b.ts"))).toEqual([
      "Allow editing files that match “src/**”, in /repo.",
      "Allow editing, in /repo.",
    ]);
    expect(await words(editing("/repo/a.ts", "/repo/src/b.ts"))).toEqual([
      "Allow editing, in /repo.",
    ]);
  });

  it("are only for the session in another of its folders", async () => {
    const session = { roots: ["/repo", "/other"] };
    expect(await words({ ...editing("/other/src/a.ts"), session })).toEqual([
      "Allow editing files that match “src/a.ts”, in this session.",
    ]);
  });

  it.each([
    [editing("/etc/passwd"), /outside/],
    [editing("/repo/.data/rules.json"), /outside/],
    [editing("/repo/a", "~nobody/b"), /Cannot determine which files/],
    [editing(...Array.from({ length: 300 }, (_, at) => `f${at}`)), /could not be read completely/],
    [{ kind: "edit" }, /which files/],
    [{ kind: "switch_mode" }, /mode/],
    [{ kind: "other" }, /neither a kind nor a name/],
    [{ kind: null }, /neither a kind nor a name/],
    [{ kind: "dance" }, /neither a kind nor a name/],
    [{ kind: "other", name: "run_sql" }, /any command/],
    [{ kind: "other", name: "browserEvaluate" }, /any command/],
    [{ kind: "fetch", rawInput: { x: "y" } }, /is known: the meaning of “x” is unknown/],
    [editing("/repo/.env"), /every time, because \/repo\/.env may hold passwords or keys/],
    [{ before: { kind: "edit" }, kind: "other" }, /more than one kind/],
  ] as const)("%j has none, with a reason", async (call, because) => {
    const { rules, reason } = await suggested(call);
    expect(rules).toEqual([]);
    expect(reason).toMatch(because);
  });

  it.each(["edit\u202Etxt", "a\u2028b", "x” everywhere, or with “y"])(
    "skip a name that would be parsed differently: %j",
    async (name) => {
      expect(await words(editing(`/repo/${name}`))).toEqual(["Allow editing, in /repo."]);
      expect(await words({ kind: "other", name: name })).toEqual([]);
    },
  );

  it("skip a name that a rule would match with more than one file", async () => {
    expect(await words(editing("/repo/src/*.ts"))).toEqual([
      "Allow editing files that match “src/**”, in /repo.",
      "Allow editing, in /repo.",
    ]);
  });
});

it("for a call without files are about its kind, or its name", async () => {
  const anyUse = "It covers everything that the tool does, and every command that it names.";
  expect(await words({ kind: "fetch" })).toEqual([
    "Allow fetching from the network, in this session.",
    "Allow fetching from the network, in /repo.",
  ]);
  expect(await words({ kind: "other", name: "mcp__github__search_code" })).toEqual([
    `Allow tools of an unknown kind with the tool “mcp__github__search_code”, in this session. ${anyUse}`,
    `Allow tools of an unknown kind with the tool “mcp__github__search_code”, in /repo. ${anyUse}`,
  ]);
});

it("for a fetch start with its host, if there is one", async () => {
  expect(await words(fetching("example.com"))).toEqual([
    "Allow fetching from “example.com”, in this session.",
    "Allow fetching from “example.com”, in /repo.",
    "Allow fetching from the network, in this session.",
    "Allow fetching from the network, in /repo.",
  ]);
  expect(await words(fetching("a.com", "b.com"))).toHaveLength(2);
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
const callArbitrary = fc
  .record({
    kind: fc.constantFrom(null, "read", "edit", "execute", "other", "search", "fetch", "dance"),
    name: fc.oneof(fc.constant(null), shellText),
    command: fc.option(anyLine),
    cwd: fc.constantFrom(undefined, "/repo/x", "/elsewhere", "/repo/.data"),
    more: fc.constantFrom({}, { env: { A: "1" } }, { gadget: "x" }),
    paths: fc.array(anyPath, { maxLength: 3 }),
    urls: fc.array(fc.constantFrom("https://example.com", "http://localhost:8080"), {
      maxLength: 2,
    }),
    roots: fc.constantFrom(["/repo"], ["/repo", "/other"]),
  })
  .map(({ kind, name, command, cwd, more, paths, urls, roots }): TestCall => {
    const rawInput = { ...(command === null ? {} : { command, cwd }), ...more, urls };
    return { kind, name, rawInput, locations: editing(...paths).locations, session: { roots } };
  });

describe("each suggestion", () => {
  it("allows its request, can be saved, and differs from the others", async () => {
    await fc.assert(
      fc.asyncProperty(callArbitrary, async (call) => {
        const facts = await factsOf(call);
        const { rules, reason } = await suggestRules(facts);
        expect(rules.length === 0).toBe(reason !== undefined);
        for (const { rule, text, notes } of rules) {
          expect(notes.join(" ")).not.toMatch(/never used/);
          expect(rule.decision).toBe("allow");
          expect(isAbout({ ...rule, id: "", at: 0, by: "" }, facts)).toBe(true);
          expect(ruleBodySchema.safeParse(rule).success).toBe(true);
          expect(text).not.toContain("any command");
          expect(facts.protections).toEqual([]);
        }
        expect(new Set(rules.map(({ text }) => text)).size).toBe(rules.length);
      }),
      { numRuns: 500 },
    );
  });
});
