import { mkdir, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openToolFixture } from "../../test/tools/tool-fixture.ts";
import { defaultRules } from "../config/default-rules.ts";
import { toolLimits } from "../limits.ts";
import { ProgramTimeout } from "../workspace/run-program.ts";
import { SearchProblem } from "../workspace/workspace.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createListTool } from "./list.ts";

const none = "/no/outputs/here";
const glob = createGlobTool(none);
const policies = [{ sources: [], defaults: defaultRules }];
const grep = createGrepTool(none, policies);
const list = createListTool(none);

describe("glob", () => {
  test("finds files, the newest first", async () => {
    await using fixture = await openToolFixture();
    const { project } = fixture.scratch;
    await fixture.scratch.write({
      "a.ts": "",
      "src/b.ts": "",
      "src/c.js": "",
      ".gitignore": "out",
      "out/d.ts": "",
    });
    await utimes(join(project, "a.ts"), 1, 1);
    const { output } = await fixture.run(glob, { pattern: "*.ts" });
    expect(output).toBe("src/b.ts\na.ts");
    expect(fixture.asked).toEqual([{ permission: "glob", patterns: ["*.ts"], always: ["*"] }]);
    expect((await fixture.run(glob, { pattern: "*.ts", path: "src" })).output).toBe("src/b.ts");
  });

  test("searches outside the project after asking", async () => {
    await using fixture = await openToolFixture();
    const { project, outside } = fixture.scratch;
    await fixture.scratch.write({ "src/b.ts": "", "../outside/x/c.ts": "", "../outside/d.ts": "" });
    expect((await fixture.run(glob, { pattern: `${project}/src/*.ts` })).output).toBe("src/b.ts");
    expect(fixture.asked).toHaveLength(1);
    expect((await fixture.run(glob, { pattern: "../outside/*.ts" })).output).toBe(
      `${outside}/d.ts`,
    );
    expect(fixture.asked[1]).toMatchObject({
      permission: "external_directory",
      patterns: [{ pattern: `${outside}/*`, access: "read" }],
    });
  });

  test("reports no results, more results, and errors", async () => {
    await using fixture = await openToolFixture();
    expect((await fixture.run(glob, { pattern: "*.rs" })).output).toContain(
      "No file in the working directory matches",
    );
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}.txt`, ""]));
    await fixture.scratch.write(many);
    const found = await fixture.run(glob, { pattern: "*.txt" });
    expect(found.output).toContain("(There are more than these 100.");
    expect(await fixture.failure(glob, { pattern: "*", path: "none" })).toMatchObject({
      reason: "file-not-found",
    });
    const braces = "{a,b}".repeat(10);
    expect(await fixture.failure(glob, { pattern: braces })).toMatchObject({
      reason: "invalid-input",
    });
  });
});

describe("grep", () => {
  test("shows lines by file", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({
      "a.ts": "x\nfoo(1)\n",
      "b/c.ts": "foo(2)\nfoo(3)\n",
      "d.md": "foo(4)",
    });
    const { output } = await fixture.run(grep, { pattern: String.raw`foo\(\d\)`, include: "*.ts" });
    expect(output).toBe("a.ts:\n  2: foo(1)\n\nb/c.ts:\n  1: foo(2)\n  2: foo(3)");
    expect(fixture.asked).toMatchObject([{ permission: "grep", always: ["*"] }]);
  });

  test("shows no lines of files that need permission, nor whether they match", async () => {
    await using fixture = await openToolFixture();
    const keys = "KEY=secret\n".repeat(200);
    await fixture.scratch.write({ ".env": keys, ".aws/credentials": keys, "a.ts": "KEY\n" });
    const { output, metadata } = await fixture.run(grep, { pattern: "KEY" });
    expect(output).toBe("a.ts:\n  1: KEY");
    expect(metadata).toEqual({ matches: 1, truncated: false });
    const hit = await fixture.run(grep, { pattern: "KEY=s" });
    const miss = await fixture.run(grep, { pattern: "KEY=t" });
    expect(hit.output.replace("KEY=s", "KEY=t")).toBe(miss.output);
    expect(hit.output).toContain("files that need permission to read");
    await fixture.run(grep, { pattern: "KEY", path: ".env" });
    expect(fixture.asked.at(-1)).toMatchObject({ permission: "read", patterns: [".env"] });
  });

  test("recognises a credential behind a link to its folder", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ ".aws/credentials": "KEY=secret\n" });
    await symlink(".aws", join(fixture.scratch.project, "cloud"));
    const { output } = await fixture.run(grep, { pattern: "KEY", path: "cloud" });
    expect(output).toContain("Nothing in cloud matches KEY.");
  });

  test("omits files that a rule asks about or denies", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({
      "notes/a.md": "KEY\n",
      "src/a.ts": "KEY\n",
      "lib/a.ts": "KEY\n",
    });
    const rule = (pattern: string, action: "ask" | "deny") => ({
      permission: "read",
      pattern,
      action,
    });
    const strict = createGrepTool(none, [
      { sources: [[rule("notes/*", "ask")]], defaults: defaultRules },
      { sources: [[rule("lib/*", "deny")]], defaults: defaultRules },
    ]);
    const { output } = await fixture.run(strict, { pattern: "KEY" });
    expect(output).toBe("src/a.ts:\n  1: KEY");
  });

  test("truncates long lines, and reports no results or more results", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "x".repeat(1_000), "b.txt": "y\n".repeat(200) });
    const long = await fixture.run(grep, { pattern: "x+" });
    expect(long.output).toContain("… (600 more characters)");
    const many = await fixture.run(grep, { pattern: "y" });
    expect(many.output).toContain("(There are more than these 100 lines.");
    expect((await fixture.run(grep, { pattern: "z" })).output).toContain(
      "Nothing in the working directory matches z.",
    );
  });

  test("reports an invalid expression or path", async () => {
    await using fixture = await openToolFixture();
    expect(await fixture.failure(grep, { pattern: "(" })).toMatchObject({
      reason: "invalid-input",
    });
    expect(await fixture.failure(grep, { pattern: "a", path: "none" })).toMatchObject({
      reason: "file-not-found",
    });
  });

  test("that takes too long fails with a timeout", async () => {
    await using fixture = await openToolFixture();
    const cause = new ProgramTimeout("late");
    const searchText = () => Promise.reject(new SearchProblem("It took too long.", { cause }));
    const workspace = { ...fixture.workspace, searchText };
    const running = grep.run({ pattern: "a" }, { ...fixture.context, workspace });
    await expect(running).rejects.toMatchObject({ reason: "tool-timeout" });
  });

  test("searches stored outputs without asking", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "../outside/outputs/call.txt": "one\nneedle\n" });
    const own = createGrepTool(fixture.outputs, policies);
    const path = join(fixture.outputs, "call.txt");
    expect((await fixture.run(own, { pattern: "needle", path })).output).toContain("2: needle");
    expect(fixture.asked).toEqual([]);
  });
});

describe("list", () => {
  test("shows a tree without ignored files", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({
      ".gitignore": "node_modules\n",
      "node_modules/x/index.js": "",
      "src/main.ts": "",
      "src/core/loop.ts": "",
      "src/core/loop.test.ts": "",
      "README.md": "",
    });
    const { output } = await fixture.run(list, { ignore: ["*.test.ts"] });
    expect(output).toBe(
      "./\n  src/\n    core/\n      loop.ts\n    main.ts\n  .gitignore\n  README.md",
    );
    expect((await fixture.run(list, { path: "src/core" })).output).toBe(
      "src/core/\n  loop.test.ts\n  loop.ts",
    );
    expect(fixture.asked[0]).toEqual({ permission: "list", patterns: ["."], always: ["*"] });
  });

  test("shows empty folders, and says when there is nothing to show", async () => {
    await using fixture = await openToolFixture();
    const { project } = fixture.scratch;
    expect((await fixture.run(list, {})).output).toBe("The folder is empty.");
    await mkdir(join(project, "empty"));
    expect((await fixture.run(list, {})).output).toContain("  empty/");
  });

  test("stays within its limit of lines", async () => {
    await using fixture = await openToolFixture();
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`d${at % 20}/f${at}.txt`, ""]),
    );
    await fixture.scratch.write(many);
    const { output } = await fixture.run(list, {});
    expect(output.split("\n").length).toBeLessThanOrEqual(toolLimits.listedLines + 3);
    expect(output).toMatch(/d\d+\/ \(50 files\)/u);
  });

  test("refuses a path that is not a folder", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.txt": "" });
    expect(await fixture.failure(list, { path: "a.txt" })).toMatchObject({
      reason: "invalid-input",
    });
    expect(await fixture.failure(list, { path: "none" })).toMatchObject({
      reason: "file-not-found",
    });
  });
});
