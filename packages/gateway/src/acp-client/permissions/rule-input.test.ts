import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { limitsOf } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectRuleInput } from "./rule-input.ts";
import { namesOf } from "../../tool-calls/call-names.ts";
import type { SessionContext } from "../session-context.ts";
import type { RuleInput } from "./rule.ts";

let outer: string;
let repo: string;

beforeAll(async () => {
  outer = await mkdtemp(join(await realpath(tmpdir()), "landline-facts-"));
  repo = join(outer, "repo");
  await mkdir(join(repo, "src"), { recursive: true });
  await mkdir(join(outer, "elsewhere"));
  await writeFile(join(repo, "src", "a.ts"), "");
  await symlink(join(outer, "elsewhere"), join(repo, "out"));
  await symlink(join(outer, "elsewhere", "missing"), join(repo, "dangling"));
  await symlink("loop", join(repo, "loop"));
  await writeFile(join(repo, ".env"), "");
  await symlink(".env", join(repo, "harmless"));
  await symlink(repo, join(outer, "link"));
});

afterAll(() => rm(outer, { recursive: true }));

function factsOf(toolCall: Partial<ToolCallUpdate>, cwd = repo) {
  const context: SessionContext = {
    sessionId: "s",
    agent: "claude",
    cwd,
    roots: [cwd],
    closed: [join(outer, "link", "data")],
    limits: limitsOf("default"),
    record: () => {},
  };
  return collectRuleInput(context, namesOf(toolCall));
}

describe("the paths of a call", () => {
  it("are collected from all fields that name one, once", async () => {
    const facts = await factsOf({
      kind: "edit",
      name: "Write",
      locations: [{ path: join(repo, "src/a.ts") }],
      content: [{ type: "diff", path: join(repo, "b.ts"), newText: "" }],
      rawInput: { file_path: "src/a.ts", destination: join(repo, "c.ts"), paths: ["d.ts", 5] },
    });
    expect(facts).toMatchObject({ kinds: ["edit"], names: ["Write"], arePathsKnown: true });
    expect(facts.paths.map(({ real }) => real.slice(repo.length))).toEqual([
      "/src/a.ts",
      "/b.ts",
      "/src/a.ts",
      "/c.ts",
      "/d.ts",
    ]);
  });

  const real = async (path: string) => {
    const { paths, arePathsKnown } = await factsOf({ kind: "edit", locations: [{ path }] });
    return arePathsKnown ? paths[0]?.real.replace(outer, "") : "unknown";
  };

  it.each([
    ["src/a.ts", "/repo/src/a.ts"],
    ["src/new/deep/file.ts", "/repo/src/new/deep/file.ts"],
    ["../elsewhere/x", "/elsewhere/x"],
    ["src/../../elsewhere", "/elsewhere"],
    ["out/x", "/elsewhere/x"],
    ["out/../repo/x", "unknown"],
    ["out/../x", "unknown"],
    ["src/../new/../x", "/repo/x"],
    ["out/..", "unknown"],
    ["dangling", "unknown"],
    ["dangling/x", "unknown"],
    ["loop", "unknown"],
    ["src/a.ts/x", "unknown"],
    ["", "unknown"],
    ["a\0b", "unknown"],
    ["~root/x", "unknown"],
    ["https://example.com/x", "unknown"],
    ["file://other-host/x", "unknown"],
    ["file:///nowhere-at-all", "/nowhere-at-all"],
    ["~/nothing-of-that-name", join(homedir(), "nothing-of-that-name")],
  ])("%j resolves to %s", async (path, expected) => {
    expect(await real(path)).toBe(expected);
  });

  it("are incomplete if there are too many", async () => {
    const locations = Array.from({ length: 300 }, (_, index) => ({ path: `f${index}` }));
    const facts = await factsOf({ kind: "edit", locations });
    expect(facts).toMatchObject({
      arePathsKnown: false,
      unread: ["it names more files than can be checked"],
    });
    expect(facts.paths.at(-1)).toEqual({ named: join(repo, "f299"), real: join(repo, "f299") });
  });

  it("stay as written if they cannot be resolved", async () => {
    const { paths } = await factsOf({ locations: [{ path: "out/../x" }, { path: "~root/x" }] });
    expect(paths).toEqual([{ named: join(repo, "x"), real: join(repo, "x") }]);
  });

  it("are inside a folder that is reached by a link", async () => {
    const facts = await factsOf({ locations: [{ path: "a" }] }, join(outer, "link"));
    expect(facts).toMatchObject({
      cwd: repo,
      roots: [repo],
      closed: [join(repo, "data")],
      paths: [{ real: join(repo, "a") }],
    });
  });
});

describe("the hosts of a call", () => {
  it.each<readonly [Partial<ToolCallUpdate>, readonly string[]]>([
    [{ kind: "fetch", rawInput: { url: "https://Example.com/a?b" } }, ["example.com"]],
    [{ kind: "fetch", rawInput: { url: "https://evil.com./" } }, ["evil.com"]],
    [{ kind: "fetch", rawInput: { url: "https://evil.com.:8443/" } }, ["evil.com:8443"]],
    [{ kind: "fetch", rawInput: { url: "http://good.com@evil.com:8080" } }, ["evil.com:8080"]],
    [
      { kind: "fetch", rawInput: { urls: ["https://a.com", "https://b.com", "https://a.com/x"] } },
      ["a.com", "b.com"],
    ],
    [{ kind: "fetch", rawInput: { query: "words" } }, []],
    [{ kind: "fetch" }, []],
    [{ kind: "read", rawInput: { url: "https://a.com" } }, ["a.com"]],
    [{ kind: "other", rawInput: { uri: "https://a.com" } }, ["a.com"]],
    [{ rawInput: { url: "https://a.com", urls: null } }, ["a.com"]],
  ])("of %j are %j", async (toolCall, hosts) => {
    expect(await factsOf(toolCall)).toMatchObject({ hosts, areHostsKnown: true });
  });

  it.each<readonly [unknown, readonly string[]]>([
    [{ urls: ["https://a.com", "b.com"] }, ["a.com"]],
    [{ url: "file:///etc/passwd" }, []],
    [{ url: "https://a.com", uri: 5 }, ["a.com"]],
    [{ url: "https://a.com", urls: "https://b.com" }, ["a.com", "b.com"]],
    [{ urls: "https://a.com/,https://b.com" }, ["a.com"]],
    [{ url: "https://a.com", urls: { first: "https://b.com" } }, ["a.com"]],
    [{ url: "https://a.com\\@b.com/" }, []],
    [{ url: "https://a.com\t.b.com/" }, []],
  ])("of %j are incomplete", async (rawInput, hosts) => {
    const facts = await factsOf({ kind: "fetch", rawInput });
    expect(facts).toMatchObject({ hosts, areHostsKnown: false });
  });
});

/** The commands of a call, according to the analysis. */
const commandsOf = ({ commands }: RuleInput) =>
  commands.map(({ facts }) =>
    facts.commands.flatMap(({ role, text }) => (role === "run" ? [text] : [])).join("; "),
  );

describe("the commands of a call", () => {
  it.each<readonly [string, Partial<ToolCallUpdate>, readonly string[]]>([
    ["a line", { rawInput: { command: "npm test" } }, ["npm test"]],
    ["a line in the field cmd", { rawInput: { cmd: "npm test" } }, ["npm test"]],
    ["words", { rawInput: { command: ["npm", "test"] } }, ["npm test"]],
    ["words in two fields", { rawInput: { command: "npm", args: ["test"] } }, ["npm test"]],
    ["no further words", { rawInput: { command: "npm test", args: [] } }, ["npm test"]],
    ["a shell's line", { rawInput: { command: ["/bin/bash", "-lc", "npm test"] } }, ["npm test"]],
    [
      "a program with a shell's name",
      { rawInput: { command: ["./bash", "-c", "npm"] } },
      ["./bash -c npm"],
    ],
    [
      "a shell's line in two fields",
      { rawInput: { command: "sh", args: ["-c", "ls a"] } },
      ["ls a"],
    ],
    ["without a kind", { kind: null, rawInput: { command: "npm test" } }, ["npm test"]],
    ["deep inside", { rawInput: { call: { input: [{ command: "ls a" }] } } }, ["ls a"]],
    ["in two fields", { rawInput: { command: "npm test", cmd: "ls a" } }, ["npm test", "ls a"]],
    ["of an edit", { kind: "edit", rawInput: { command: "rm a" } }, ["rm a"]],
    [
      "words that a shell would interpret, both quoted and as a line",
      { rawInput: { command: ["npm", "test", ";ls"] } },
      ["npm test ';ls'", "npm test; ls"],
    ],
    ["a title in backticks", { title: "`npm test`" }, ["npm test"]],
    ["a title that is one", { title: "npm test" }, ["npm test"]],
    [
      "a title in backticks beside another",
      { title: "`npm test`", rawInput: { command: "ls a" } },
      ["ls a", "npm test"],
    ],
    ["no other title beside one", { title: "npm test", rawInput: { command: "ls a" } }, ["ls a"]],
    ["not the name of the tool", { title: "bash", name: "bash" }, []],
    ["a title that says the same", { title: "ls a", rawInput: { command: "ls a" } }, ["ls a"]],
    ["no prose title", { title: "Run the tests", rawInput: { command: "ls" } }, ["ls"]],
  ])("are %s", async (_what, toolCall, lines) => {
    const facts = await factsOf({ kind: "execute", ...toolCall });
    expect(commandsOf(facts)).toEqual(lines);
    expect(facts.commands.every(({ folder }) => folder === repo)).toBe(true);
  });

  it("are not searched in fields with another meaning", async () => {
    const facts = await factsOf({ kind: "edit", rawInput: { command: "create", path: "a" } });
    expect(facts).toMatchObject({ commands: [], unknown: [] });
  });

  it("run in the given folder, with links resolved", async () => {
    const at = async (cwd: string) =>
      (await factsOf({ kind: "execute", rawInput: { command: "ls", cwd } })).commands[0]?.folder;
    expect(await at(".")).toBe(repo);
    expect(await at("out")).toBe(join(outer, "elsewhere"));
    expect(await at("loop")).toBe("");
  });

  it("are incomplete if variables are set", async () => {
    const unknownWith = async (more: object) =>
      (await factsOf({ kind: "execute", rawInput: { command: "ls", ...more } })).unknown.length > 0;
    for (const env of [{ PATH: "/tmp" }, [{ name: "A", value: "1" }], "PATH=/tmp", 1])
      expect(await unknownWith({ env })).toBe(true);
    for (const env of [{}, [], "", null, undefined]) expect(await unknownWith({ env })).toBe(false);
    expect(await unknownWith({ environment: { PATH: "/tmp" } })).toBe(true);
  });

  it("are unknown if only the title names them, and may be what it says", async () => {
    const facts = await factsOf({ kind: "execute", title: "rm -rf build" });
    expect(facts.unknown).toEqual(["it does not say what it runs"]);
    expect(commandsOf(facts)).toEqual(["rm -rf build"]);
    const { commands, maybeCommands } = await factsOf({ title: "rm -rf build" });
    expect(commands).toEqual([]);
    expect(maybeCommands.flatMap((line) => line.commands)).toMatchObject([
      { words: ["rm", "-rf", "build"] },
    ]);
    expect((await factsOf({ kind: "edit", title: "rm a" })).maybeCommands).toEqual([]);
  });

  it("may also be what the title says, but never the name of the tool", async () => {
    const { maybeCommands } = await factsOf({
      kind: "execute",
      title: "rm -rf build",
      rawInput: { command: "ls a" },
    });
    expect(maybeCommands.flatMap((line) => line.commands)).toMatchObject([
      { words: ["rm", "-rf", "build"] },
    ]);
    const named = { kind: "execute", name: "bash", title: "bash", rawInput: { command: "ls" } };
    expect((await factsOf(named as Partial<ToolCallUpdate>)).maybeCommands).toEqual([]);
  });

  it("may be in an unknown field", async () => {
    const facts = await factsOf({
      kind: "execute",
      rawInput: { command: "npm test", script: "rm -rf build" },
    });
    expect(facts.unknown).toEqual(["the meaning of “script” is unknown"]);
    expect(facts.maybeCommands.flatMap(({ commands }) => commands)).toMatchObject([
      { words: ["rm", "-rf", "build"] },
    ]);
  });

  const tooMuch = ["it runs more than can be analysed"];
  const namesIn = (facts: RuleInput) =>
    new Set(
      [...facts.commands.map((command) => command.facts), ...facts.maybeCommands].flatMap((line) =>
        line.commands.map(({ words }) => words[0]),
      ),
    );

  it("are analysed up to the budget, the shortest first", async () => {
    const commands = Array.from({ length: 65 }, (_, index) => `echo ${index}`);
    const many = await factsOf({ kind: "execute", rawInput: { commands: [...commands, "rm x"] } });
    expect(many).toMatchObject({ unread: tooMuch, unknown: [] });
    expect(many.commands).toHaveLength(64);
    const last = await factsOf({ rawInput: { commands: [...commands, "git fetch --all"] } });
    expect(commandsOf(last)).not.toContain("git fetch --all");
    for (const facts of [many, last]) expect(facts.maybeCommands).toHaveLength(1);
    expect(namesIn(many)).toEqual(new Set(["echo", "rm"]));
    expect(namesIn(last)).toEqual(new Set(["echo", "git"]));
  });

  it("are analysed first", async () => {
    const pad = "word ".repeat(20_000);
    const rawInput = { pad, commands: ["ls a", "cat .env"] };
    const facts = await factsOf({ kind: "execute", title: pad, rawInput });
    expect(commandsOf(facts)).toEqual(["ls a", "cat .env"]);
    expect(facts).toMatchObject({ unread: tooMuch, protections: [expect.stringMatching(/\.env/)] });
  });

  it("are all analysed if they are few; displayed text is not", async () => {
    const content = "x".repeat(500_000);
    const rawInput = { commands: ["ls a", "ls b"], content, script: "x ".repeat(5_000) };
    expect(await factsOf({ kind: "execute", rawInput })).toMatchObject({ unread: [] });
  });
});

describe("places that only a person may allow", () => {
  const protections = async (toolCall: Partial<ToolCallUpdate>) =>
    (await factsOf(toolCall)).protections.map((words) => words.replace(repo, ""));

  it("are found by path and by the target of a path", async () => {
    const edit = (path: string) => ({ kind: "edit" as const, locations: [{ path }] });
    expect(await protections(edit(".git/config"))).toEqual([
      "/.git/config is protected (the repository's own data and hooks)",
    ]);
    expect(await protections(edit(".env"))).toEqual(["/.env may hold passwords or keys"]);
    expect(await protections(edit("harmless"))).toEqual(["/harmless may hold passwords or keys"]);
    expect(await protections(edit("src/a.ts"))).toEqual([]);
  });

  it("may be read unless they are credentials", async () => {
    const read = (path: string) => ({ kind: "read" as const, locations: [{ path }] });
    expect(await protections(read(".git/config"))).toEqual([]);
    expect(await protections(read(".env"))).toHaveLength(1);
    expect(
      await protections({
        ...read(".git/config"),
        content: [{ type: "diff", path: "a", newText: "" }],
      }),
    ).toHaveLength(1);
  });

  it("are found in commands and in unknown fields", async () => {
    expect(await protections({ kind: "execute", rawInput: { command: "cat .env" } })).toEqual([
      "/.env may hold passwords or keys",
    ]);
    expect(await protections({ kind: "other", rawInput: { target: ".env" } })).toHaveLength(1);
  });
});
