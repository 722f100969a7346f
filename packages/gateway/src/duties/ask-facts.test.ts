import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { limitsOf } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askFacts } from "./ask-facts.ts";
import type { DutyContext } from "./duty.ts";

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
  await symlink(repo, join(outer, "link"));
});

afterAll(() => rm(outer, { recursive: true }));

function factsOf(toolCall: Partial<ToolCallUpdate>, titleIsCommand = false, cwd = repo) {
  const context: DutyContext = {
    sessionId: "s",
    agent: "claude",
    cwd,
    roots: [cwd],
    closed: [join(outer, "link", "data")],
    limits: limitsOf("default"),
    strict: false,
    record: () => {},
  };
  return askFacts(context, { toolCallId: "c", ...toolCall }, { titleIsCommand });
}

describe("the paths of a call", () => {
  it("are taken from all places that name one, once", async () => {
    const facts = await factsOf({
      kind: "edit",
      name: "Write",
      locations: [{ path: join(repo, "src/a.ts") }],
      content: [{ type: "diff", path: join(repo, "b.ts"), newText: "" }],
      rawInput: { file_path: "src/a.ts", destination: join(repo, "c.ts"), paths: ["d.ts", 5] },
    });
    expect(facts).toMatchObject({ toolKind: "edit", toolName: "Write", arePathsKnown: true });
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
  ])("%j leads to %s", async (path, expected) => {
    expect(await real(path)).toBe(expected);
  });

  it("are not all known when there are too many", async () => {
    const locations = Array.from({ length: 300 }, (_, index) => ({ path: `f${index}` }));
    expect(await factsOf({ kind: "edit", locations })).toMatchObject({ arePathsKnown: false });
  });

  it("lie inside a folder that is reached by a link", async () => {
    const facts = await factsOf({ locations: [{ path: "a" }] }, false, join(outer, "link"));
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
  ])("of %j are not all known", async (rawInput, hosts) => {
    const facts = await factsOf({ kind: "fetch", rawInput });
    expect(facts).toMatchObject({ hosts, areHostsKnown: false });
  });
});

describe("the command of a call", () => {
  it.each<readonly [string, Partial<ToolCallUpdate>, unknown]>([
    ["a line", { rawInput: { command: "npm test" } }, "npm test"],
    ["a line called cmd", { rawInput: { cmd: "npm test" } }, "npm test"],
    ["words", { rawInput: { command: ["npm", "test"] } }, ["npm", "test"]],
    ["words in two fields", { rawInput: { command: "npm", args: ["test"] } }, ["npm", "test"]],
    ["no further words", { rawInput: { command: "npm test", args: [] } }, "npm test"],
    ["a shell's line", { rawInput: { command: ["/bin/bash", "-lc", "npm test"] } }, "npm test"],
    [
      "the words of what only has a shell's name",
      { rawInput: { command: ["./bash", "-c", "npm test"] } },
      ["./bash", "-c", "npm test"],
    ],
    ["a shell's line in two fields", { rawInput: { command: "sh", args: ["-c", "a b"] } }, "a b"],
    ["more for a shell", { rawInput: { command: ["sh", "-c", "a", "b"] } }, ["sh", "-c", "a", "b"]],
    ["of no kind", { kind: null, rawInput: { command: "npm test" } }, "npm test"],
  ])("is %s", async (_what, toolCall, line) => {
    const { command } = await factsOf({ kind: "execute", ...toolCall });
    expect(command).toEqual({ line, cwd: null, isWhole: true });
  });

  it("is not looked for where the word means something else", async () => {
    const facts = await factsOf({ kind: "edit", rawInput: { command: "create", path: "a" } });
    expect(facts.command).toBeNull();
  });

  it("runs where it says, links followed", async () => {
    const at = async (cwd: string) =>
      (await factsOf({ kind: "execute", rawInput: { command: "ls", cwd } })).command?.cwd;
    expect(await at(".")).toBe(repo);
    expect(await at("out")).toBe(join(outer, "elsewhere"));
    expect(await at("loop")).toBe("");
  });

  it("is not whole when variables come with it", async () => {
    const input = (env: unknown) =>
      ({ kind: "execute", rawInput: { command: "ls", env } }) as const;
    expect((await factsOf(input({ PATH: "/tmp" }))).command?.isWhole).toBe(false);
    expect((await factsOf(input([{ name: "A", value: "1" }]))).command?.isWhole).toBe(false);
    expect((await factsOf(input("PATH=/tmp"))).command?.isWhole).toBe(false);
    expect((await factsOf(input(1))).command?.isWhole).toBe(false);
    for (const none of [{}, [], "", null, undefined])
      expect((await factsOf(input(none))).command?.isWhole).toBe(true);
    const environment = { PATH: "/tmp" };
    const other = { kind: "execute", rawInput: { command: "ls", environment } } as const;
    expect((await factsOf(other)).command?.isWhole).toBe(false);
  });

  it("is the title only for agents that are known to put it there", async () => {
    const call = { kind: "execute", title: "npm test" } as const;
    const title = { line: "npm test", cwd: null };
    expect((await factsOf(call)).command).toEqual({ ...title, isWhole: false });
    expect((await factsOf(call, true)).command).toEqual({ ...title, isWhole: true });
    expect((await factsOf({ ...call, rawInput: {} }, true)).command?.isWhole).toBe(false);
    expect((await factsOf({ title: "npm test" }, true)).command).toBeNull();
  });
});
