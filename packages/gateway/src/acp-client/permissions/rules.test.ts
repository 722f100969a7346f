import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitsOf } from "@landline/protocol";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { factsOf, running } from "../../../test/permissions/corpus/any-call.ts";
import { anyRule } from "../../../test/permissions/corpus/any-rule.ts";
import type { NewRule } from "./rule.ts";
import { openRules } from "./rules.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), "landline-rules-"));
  path = join(folder, "rules.json");
});

afterEach(async () => {
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

const npmTest = anyRule({ what: { commandPrefix: "npm test" } });
const inSession = { in: "session", sessionId: "session-1" } as const;
const testFacts = await factsOf(running("npm test"));

describe("rules", () => {
  it("leave no temporary file of an interrupted change", async () => {
    await (await openRules(path)).add(npmTest);
    await writeFile(`${path}.3141592653`, "half of");
    await writeFile(`${path}.damaged-1`, "to be looked at");
    expect((await openRules(path)).list()).toHaveLength(1);
    expect((await readdir(folder)).sort()).toEqual(["rules.json", "rules.json.damaged-1"]);
  });

  it("are stored in a private file, and loaded again", async () => {
    const rules = await openRules(path);
    const added = await rules.add(npmTest);
    expect(added).toMatchObject({ ...npmTest, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await openRules(path)).list()).toEqual([added]);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ version: 1, rules: [added] });
  });

  it("need no file", async () => {
    const rules = await openRules(path);
    expect(rules.list()).toEqual([]);
    expect(rules.decide(testFacts)).toBeNull();
    expect(await readdir(folder)).toEqual([]);
  });

  it("decide by the strictest match, and among those by the newest", async () => {
    const rules = await openRules(path);
    const denyNpm = anyRule({ decision: "deny", what: { commandPrefix: "npm" } });
    const deny = await rules.add(denyNpm);
    const ask = await rules.add({ ...npmTest, decision: "ask", where: inSession });
    const allow = await rules.add(npmTest);
    expect(rules.decide(testFacts)).toEqual({ decision: "deny", rule: deny });
    const again = await rules.add({ ...npmTest, decision: "deny", where: inSession });
    expect(rules.list()).not.toContain(ask);
    expect(rules.decide(testFacts)).toEqual({ decision: "deny", rule: again });
    await rules.remove(again.id);
    await rules.remove(deny.id);
    expect(rules.decide(testFacts)).toEqual({ decision: "allow", rule: allow });
    const askAll = await rules.add(anyRule({ decision: "ask" }));
    expect(rules.decide(testFacts)).toEqual({ decision: "ask", rule: askAll });
    await rules.remove(askAll.id);
    const denyAgain = await rules.add(denyNpm);
    expect(rules.decide(testFacts)).toEqual({ decision: "deny", rule: denyAgain });
    const other = anyRule({ what: { commandPrefix: "ls" } });
    await rules.add(other);
    expect(rules.decide(testFacts)?.rule).toEqual(denyAgain);
    await rules.remove(denyAgain.id);
    expect(rules.decide(testFacts)?.rule).toEqual(allow);
    await rules.remove("unknown");
    expect((await openRules(path)).list()).toEqual(rules.list());
  });

  it("replace a rule with the same subject and scope", async () => {
    const rules = await openRules(path);
    await rules.add(npmTest);
    const here = await rules.add({ ...npmTest, where: { in: "session", sessionId: "a" } });
    const denied = await rules.add({ ...npmTest, decision: "deny" });
    expect(rules.list()).toEqual([here, denied]);
  });

  it("identify a project by the real path of its folder", async () => {
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "link"));
    const rules = await openRules(path);
    const place = { in: "project", folder: join(folder, "link") } as const;
    expect((await rules.add(anyRule({ where: place }))).where).toEqual({
      in: "project",
      folder: join(folder, "real"),
    });
  });

  it("keep all concurrent additions", async () => {
    const rules = await openRules(path);
    const words = Array.from({ length: 20 }, (_, index) => `run ${index}`);
    await Promise.all(
      words.map((commandPrefix) => rules.add(anyRule({ what: { commandPrefix } }))),
    );
    expect((await openRules(path)).list().map(({ what }) => what.commandPrefix)).toEqual(words);
  });

  it("stay unchanged if they can't be written", async () => {
    const rules = await openRules(join(folder, "missing", "rules.json"));
    await expect(rules.add(npmTest)).rejects.toMatchObject({ code: "folder-unusable" });
    expect(rules.list()).toEqual([]);
    await mkdir(join(folder, "missing"));
    await rules.add(npmTest);
    expect(rules.list()).toHaveLength(1);
  });

  it("are bounded", async () => {
    const rules = await openRules(path, { limits: limitsOf("default", { rulesKept: 1 }) });
    const first = await rules.add(npmTest);
    await expect(rules.add(anyRule())).rejects.toMatchObject({ code: "invalid-params" });
    expect(rules.list()).toEqual([first]);
    await rules.add({ ...npmTest, decision: "deny" });
    expect(rules.list()).toMatchObject([{ decision: "deny" }]);
  });

  it("describe themselves", async () => {
    const rules = await openRules(path);
    expect(await rules.describe(npmTest)).toContain("npm test");
  });
});

describe("an invalid rule", () => {
  it.each([
    ["decision", { decision: "maybe" }],
    ["what.toolKind", { what: { toolKind: "dance" } }],
    ["what.toolName", { what: { toolName: "" } }],
    ["what.commandPrefix", { what: { commandPrefix: "npm test; rm" } }],
    ["what.commandPrefix", { what: { commandPrefix: "FOO=1 npm" } }],
    ["what.commandPrefix", { what: { commandPrefix: "$X" } }],
    ["what.commandPrefix", { what: { commandPrefix: " " } }],
    ["what.commandPrefix", { what: { commandPrefix: "x".repeat(5_000) } }],
    ["what.pathGlob", { what: { pathGlob: "*.{ts,js}" } }],
    ["what.pathGlob", { what: { pathGlob: "a\0b" } }],
    ["what.host", { what: { host: "https://example.com" } }],
    ["what.host", { what: { host: "*.example.com" } }],
    ["what.host", { what: { host: "Example.com" } }],
    ["what.host", { what: { host: "example.com." } }],
    ["what.host", { what: { host: "example.com:80" } }],
    ["what.host", { what: { host: "example.com:443" } }],
    ["what.agent", { what: { agent: 5 } }],
    ["what.onlyReads", { what: { onlyReads: false } }],
    ["what.onlyReads", { decision: "deny", what: { onlyReads: true } }],
    ["what.tool", { what: { tool: "Bash" } }],
    ["what", { what: undefined }],
    ["where.in", { where: { in: "nowhere" } }],
    ["where.folder", { where: { in: "project", folder: "repo" } }],
    ["where.sessionId", { where: { in: "session" } }],
    ["by", { by: "" }],
  ])("is refused with the name of its field: %s", async (field, change) => {
    const rules = await openRules(path);
    const refused = rules.add({ ...npmTest, ...change } as NewRule);
    await expect(refused).rejects.toMatchObject({ code: "invalid-params", data: { field } });
    expect(await readdir(folder)).toEqual([]);
  });
});

const stored = { ...npmTest, id: "a", at: 1 };
const fileOf = (rules: unknown, version: unknown = 1) => JSON.stringify({ version, rules });

describe("an invalid rules file", () => {
  it.each([
    ["is empty", ""],
    ["is not JSON", "{"],
    ["is not text", Buffer.from([0xff, 0xfe, 0x00])],
    ["is not an object", "5"],
    ["is null", "null"],
    ["is a list", "[]"],
    ["has no version", JSON.stringify({ rules: [] })],
    ["has a version of another type", fileOf([], "1")],
    ["has an unknown version", fileOf([], 0)],
    ["has no rules", fileOf(undefined)],
    ["has rules of another type", fileOf({})],
    ["has a rule that is null", fileOf([null])],
    ["has a rule without an id", fileOf([npmTest])],
    ["has a rule with an unknown field", fileOf([{ ...stored, unless: "x" }])],
    [
      "has a rule that allows more than it says",
      fileOf([{ ...stored, what: { commandPrefix: "a;b" } }]),
    ],
    ["has one good rule and one bad one", fileOf([stored, { ...stored, decision: "yes" }])],
    ["contains __proto__", '{"__proto__":{"version":1,"rules":[]}}'],
    ["is nested deeply", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
    ["has too many", fileOf(Array.from({ length: 1_001 }, () => stored))],
    ["is too large", " ".repeat(8 * 1_024 * 1_024 + 1)],
  ])(
    "%s: is moved aside, and nothing is allowed until that is acknowledged",
    async (_what, content) => {
      await writeFile(path, content);
      const rules = await openRules(path);
      expect(rules.list()).toEqual([]);
      expect(rules.damage).toMatchObject({ reason: expect.stringMatching(/./) });
      const moved = await readFile(rules.damage?.movedTo ?? "");
      expect(moved.equals(Buffer.from(content))).toBe(true);
      await rules.add(npmTest);
      expect(rules.decide(testFacts)).toBeNull();
      const again = await openRules(path);
      expect(again.list()).toHaveLength(1);
      expect(again.damage).toEqual(rules.damage);
      expect(again.decide(testFacts)).toBeNull();
      await again.acknowledgeDamage();
      expect(again.decide(testFacts)).toMatchObject({ decision: "allow" });
      expect(await readdir(folder)).toHaveLength(2);
    },
  );

  it("is damage although the note about it is invalid", async () => {
    await writeFile(join(folder, "rules-damage.json"), "[");
    const rules = await openRules(path);
    await rules.add(npmTest);
    expect(rules.damage).toMatchObject({ movedTo: null });
    expect(rules.decide(testFacts)).toBeNull();
  });

  it("is noted again after a crash between the note and the move", async () => {
    await writeFile(path, "{");
    await writeFile(
      join(folder, "rules-damage.json"),
      JSON.stringify({ movedTo: join(folder, "never-moved"), reason: "x", at: 1 }),
    );
    const { movedTo } = (await openRules(path)).damage ?? {};
    expect(await readFile(movedTo ?? "", "utf8")).toBe("{");
  });

  it("is left unchanged if a newer Landline wrote it", async () => {
    const content = fileOf([{ of: "the future" }], 2);
    await writeFile(path, content);
    await expect(openRules(path)).rejects.toMatchObject({ code: "rules-newer" });
    expect(await readFile(path, "utf8")).toBe(content);
    expect(await readdir(folder)).toEqual(["rules.json"]);
  });

  it("is an error if it can't be read at all", async () => {
    await mkdir(path);
    await expect(openRules(path)).rejects.toMatchObject({ code: "folder-unusable" });
  });

  it("never throws for any JSON, and never keeps an invalid rule", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (rules) => {
        await writeFile(path, `{"version":1,"rules":${rules}}`);
        expect((await openRules(path)).list()).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
