import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch, trustAll } from "../../test/config/config-fixture.ts";
import { nestedRules } from "./rules-files.ts";

it("reads the person's file, then the project's from its root down", async () => {
  await using folder = await scratch({
    "home/.config/landline/AGENTS.md": "own",
    "home/.claude/CLAUDE.md": "not read",
    "AGENTS.md": "above the root",
    "project/AGENTS.md": "root",
    "project/a/b/AGENTS.md": "cwd",
    "project/a/CLAUDE.md": "another name",
    "other/AGENTS.md": "of another folder",
  });
  const cwd = join(folder.project, "a/b");
  const { rules } = await folder.open({ cwd, directories: [join(folder.project, "../other")] });
  expect(rules.map((file) => file.text)).toEqual(["own", "root", "cwd", "of another folder"]);
});

it.each([
  [{ "project/CLAUDE.md": "claude", "project/CONTEXT.md": "context" }, "claude"],
  [{ "project/CONTEXT.md": "context" }, "context"],
  [{ "home/.claude/CLAUDE.md": "own" }, "own"],
])("uses the first name that exists: %o", async (files, expected) => {
  await using folder = await scratch(files);
  expect((await folder.open()).rules.map((file) => file.text)).toEqual([expected]);
});

it("reads the files that `instructions` names, relative to the config's folder, each file once", async () => {
  await using folder = await scratch({
    "project/AGENTS.md": "agents",
    "project/.landline/agent.jsonc": {
      instructions: ["docs/*.md", "AGENTS.md", "none.md", "https://example.com/x.md"],
    },
    "project/docs/b.md": "b",
    "project/docs/a.md": "a",
    "project/docs/deep/c.md": "not matched",
  });
  const { rules, config } = await folder.open();
  expect(rules.map((file) => file.text)).toEqual(["agents", "a", "b"]);
  expect(config.problems).toEqual([
    expect.stringMatching(/none\.md, and there is no such file/),
    expect.stringMatching(/https:\/\/example\.com\/x\.md: nothing is fetched/),
  ]);
});

it("reads a file once if two names resolve to it, and follows no link out of an untrusted project", async () => {
  await using folder = await scratch({ "project/AGENTS.md": "text", "home/secret": "classified" });
  await symlink(join(folder.project, "AGENTS.md"), join(folder.project, "COPY.md"));
  await symlink(join(folder.home, "secret"), join(folder.project, "LINK.md"));
  await folder.write({ "project/landline.jsonc": { instructions: ["COPY.md", "LINK.md"] } });
  const before = await folder.open();
  expect(before.rules.map((file) => file.text)).toEqual(["text"]);
  expect(before.config.problems).toEqual([
    expect.stringContaining("LINK.md: leads outside the project"),
  ]);
  await folder.write(trustAll);
  expect((await folder.open()).rules.map((file) => file.text)).toEqual(["text", "classified"]);
});

it("reads no credential as instructions, under any name", async () => {
  await using folder = await scratch({
    ...trustAll,
    "project/.env": "classified",
    "project/a/.env": "classified",
    "project/landline.jsonc": { instructions: [".env", "docs/*"] },
    "project/docs/server.pem": "classified",
    "project/docs/a.md": "a",
  });
  await symlink(".env", join(folder.project, "AGENTS.md"));
  await symlink(".env", join(folder.project, "a/AGENTS.md"));
  const { rules, config } = await folder.open();
  expect(rules.map((file) => file.text)).toEqual(["a"]);
  expect(config.problems).toEqual([
    expect.stringContaining("AGENTS.md: may hold credentials"),
    expect.stringContaining("server.pem: may hold credentials"),
  ]);
  expect(await nestedRules("a/file.ts", folder.project)).toEqual([]);
});

it("truncates a long file and drops files above the limit, and reports both", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [`project/r/${index}.md`, "y".repeat(60_000)]),
  );
  await using folder = await scratch({
    "project/AGENTS.md": "x".repeat(100_000),
    "project/landline.jsonc": { instructions: ["r/*.md"] },
    ...many,
  });
  const { rules, config } = await folder.open();
  expect(rules[0]?.text).toMatch(/x\n\n\[The rest of this file was cut after 64 KiB\.\]$/);
  expect(rules).toHaveLength(5);
  expect(config.problems).toHaveLength(5);
});

it("finds the rules of nested folders for a file, outermost first", async () => {
  await using folder = await scratch({
    "project/AGENTS.md": "known already",
    "project/a/AGENTS.md": "a",
    "project/a/b/CLAUDE.md": "b",
    "home/AGENTS.md": "outside",
  });
  const texts = async (path: string) =>
    (await nestedRules(path, folder.project)).map((file) => file.text);
  await expect(texts(join(folder.project, "a/b/c/file.ts"))).resolves.toEqual(["a", "b"]);
  await expect(texts("a/file.ts")).resolves.toEqual(["a"]);
  await expect(texts("file.ts")).resolves.toEqual([]);
  await expect(texts(join(folder.home, "file.ts"))).resolves.toEqual([]);
});
