import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PlaceWatch } from "./created-places.ts";
import { createdText } from "./created-text.ts";

let top: string;
let project: string;

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "landline-created-")));
  project = join(top, "project");
  await mkdir(project);
});

afterEach(() => rm(top, { recursive: true, force: true }));

const inProject = (name: string) => join(project, name);
const watching = (PATH = "/usr/bin") => PlaceWatch.start([project], { PATH });
const shown = (path: string) => relative(project, path);

async function write(name: string, text = "{}"): Promise<void> {
  await mkdir(join(inProject(name), ".."), { recursive: true });
  await writeFile(inProject(name), text);
}

test("created places are renamed, and get their names back or are deleted", async () => {
  await write(".vscode/tasks.json", "old");
  using watch = await watching();
  expect(await watch.setAside()).toBeNull();
  await write(".vscode/tasks.json", "changed");
  await write(".landline/agent.jsonc");
  await write(".mcp.json");
  await write(".github/dependabot.yml");
  await write(".github/workflows/ci.yml");
  const first = await watch.setAside();
  expect(first?.places.map(({ path }) => shown(path)).sort()).toEqual([
    ".github/workflows",
    ".landline",
    ".mcp.json",
  ]);
  expect(await readdir(project)).toEqual([
    ".github",
    expect.stringMatching(/^\.landline\.landline-set-aside-[0-9a-f]{8}$/),
    expect.stringMatching(/^\.mcp\.json\.landline-set-aside-/),
    ".vscode",
  ]);
  expect(await watch.setAside()).toBeNull();
  // A background process creates it again.
  await write(".mcp.json", "second");
  await first?.restore();
  expect(await readFile(inProject(".mcp.json"), "utf8")).toBe("{}");
  expect(await readFile(inProject(".github/workflows/ci.yml"), "utf8")).toBe("{}");
  expect(await watch.setAside()).toBeNull();

  await write(".husky/pre-commit");
  const second = await watch.setAside();
  await second?.remove();
  expect(await readdir(project)).toEqual([".github", ".landline", ".mcp.json", ".vscode"]);
  await write(".husky/pre-commit");
  expect((await watch.setAside())?.places).toHaveLength(1);
});

test("no other watch asks about an allowed place, but about what is created in it later", async () => {
  using first = await watching();
  using second = await watching();
  await write(".git/config");
  const created = await first.setAside();
  expect(created?.places.map(({ path }) => shown(path))).toEqual([".git"]);
  await created?.restore();
  expect(await second.setAside()).toBeNull();
  await write(".git/commondir", "/elsewhere");
  for (const watch of [first, second]) {
    const found = await watch.setAside();
    expect(found?.places.map(({ path }) => shown(path))).toEqual([".git/commondir"]);
    await write(".git/commondir", "/elsewhere");
  }
});

test("a new link is renamed, and its target stays", async () => {
  const outside = join(top, "outside");
  await mkdir(join(outside, "workflows"), { recursive: true });
  await write("docs/workflows/how.md");
  await write("docs/actions/how.md");
  await mkdir(inProject(".forgejo"));
  using watch = await watching();
  await symlink(outside, inProject(".gitea"));
  await symlink("docs", inProject(".github"));
  // An existing folder is replaced by a link.
  await rename(inProject(".forgejo"), inProject("moved"));
  await symlink(outside, inProject(".forgejo"));
  const created = await watch.setAside();
  expect(created?.places.map(({ renamed }) => shown(renamed)).sort()).toEqual([
    ".forgejo",
    ".gitea",
    ".github",
  ]);
  await created?.remove();
  expect(await readdir(project)).toEqual(["docs", "moved"]);
  expect(await readdir(outside)).toEqual(["workflows"]);
  expect(await readdir(inProject("docs/workflows"))).toEqual(["how.md"]);
});

test("a path behind a link counts as created only if the link is new", async () => {
  const outside = join(top, "outside");
  await mkdir(outside);
  await symlink(outside, inProject(".github"));
  using watch = await watching();
  await mkdir(join(outside, "workflows"));
  expect(await watch.setAside()).toBeNull();
  await rm(inProject(".github"));
  await symlink("docs", inProject(".github"));
  await mkdir(inProject("docs/workflows"), { recursive: true });
  const created = await watch.setAside();
  expect(created?.places.map(({ renamed }) => shown(renamed))).toEqual([".github"]);
});

test("a folder of the PATH in the project is a protected place, but not that of npm packages", async () => {
  const PATH = ["bin", "node_modules/.bin"].map(inProject).join(":");
  using watch = await watching(PATH);
  await write("bin/git");
  await write("node_modules/.bin/tsc");
  const created = await watch.setAside();
  const words = createdText(created?.places ?? [], "the command", shown);
  expect(words).toMatchObject({
    title: "Keep bin, which the command made",
    reasons: ["bin is a folder of the PATH"],
  });
  const aside = shown(created?.places[0]?.aside ?? "");
  expect(words.text.split("\n").slice(0, 3)).toEqual([
    "The command made bin.",
    "Note that bin is a folder of the PATH.",
    `bin was renamed to "${aside}".`,
  ]);
});

test("neither access modes nor invalid names prevent renaming and deleting", async () => {
  using watch = await watching();
  await write(".github/workflows/deep/ci.yml");
  const odd = Buffer.concat([Buffer.from(inProject(".github/workflows/")), Buffer.of(0xff)]);
  await writeFile(odd, "");
  await chmod(inProject(".github/workflows/deep"), 0o000);
  await chmod(inProject(".github"), 0o500);
  const created = await watch.setAside();
  expect(created?.places[0]?.aside).not.toBeNull();
  await created?.remove();
  expect(await readdir(inProject(".github"))).toEqual([]);
});

test("a link in a deleted folder is not followed", async () => {
  const outside = join(top, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "file"), "");
  using watch = await watching();
  await mkdir(inProject(".claude"));
  await symlink(outside, inProject(".claude/link"));
  const created = await watch.setAside();
  await created?.remove();
  expect(await readdir(project)).toEqual([]);
  expect((await lstat(join(outside, "file"))).isFile()).toBe(true);
});
