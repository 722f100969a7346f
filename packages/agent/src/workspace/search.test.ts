import { symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeClient } from "../../test/workspace/fake-client.ts";
import { openScratch, type Scratch } from "../../test/workspace/scratch-project.ts";
import { openWorkspace } from "./open-workspace.ts";
import { nodeSearcher } from "./node-search.ts";
import { openRipgrep } from "./ripgrep.ts";
import { Roots } from "./roots.ts";
import { Search } from "./search.ts";
import type { Searcher } from "./searcher.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const roots = () => new Roots(scratch.project, []);
const noUnsaved = { all: () => [], read: async () => null };

async function ripgrep(): Promise<Searcher> {
  const searcher = await openRipgrep();
  if (searcher === null) throw new Error("There is no ripgrep for this machine.");
  return searcher;
}

describe.each([
  ["ripgrep", ripgrep],
  ["plain Node", async () => nodeSearcher],
])("looking through files with %s", (_name, open) => {
  const search = () => new Search(roots(), noUnsaved, open);
  const below = (paths: string[]) => paths.map((path) => path.slice(scratch.project.length + 1));
  const find = async (pattern: string, limit?: number) =>
    below((await search().findFiles({ pattern, ...(limit && { limit }) })).paths).sort();
  const grep = async (pattern: string, more: object = {}) => {
    const { matches } = await search().searchText({ pattern, ...more });
    return matches.map(({ path, line, text }) => `${below([path])[0]}:${line}:${text}`);
  };

  it("finds hidden files, but nothing that git ignores and no git data", async () => {
    await scratch.write({
      ".gitignore": "*.log\n/build/\n# a remark\n!keep.log\nnode_modules\n",
      ".env": "",
      ".git/config.ts": "",
      "a.ts": "",
      "a.log": "",
      "keep.log": "",
      "build/b.ts": "",
      "src/build/c.ts": "",
      "src/.gitignore": "secret.ts\n",
      "src/secret.ts": "",
      "node_modules/x/index.ts": "",
      "src/node_modules/y.ts": "",
    });
    expect(await find("*.ts")).toEqual(["a.ts", "src/build/c.ts"]);
    expect(await find("**/*")).toEqual([
      ".env",
      ".gitignore",
      "a.ts",
      "keep.log",
      "src/.gitignore",
      "src/build/c.ts",
    ]);
    expect(await find("src/**/*.ts")).toEqual(["src/build/c.ts"]);
    expect(await find("*.none")).toEqual([]);
  });

  it("returns the newest first up to the limit, and reports more", async () => {
    await scratch.write({ "one.md": "", "two\nlines.md": "", "three.md": "" });
    await utimes(join(scratch.project, "one.md"), 100, 100);
    await utimes(join(scratch.project, "two\nlines.md"), 300, 300);
    await utimes(join(scratch.project, "three.md"), 200, 200);
    const all = await search().findFiles({ pattern: "*.md" });
    expect(below(all.paths)).toEqual(["two\nlines.md", "three.md", "one.md"]);
    expect(all.truncated).toBe(false);
    const some = await search().findFiles({ pattern: "*.md", limit: 2 });
    expect(below(some.paths)).toEqual(["two\nlines.md", "three.md"]);
    expect(some.truncated).toBe(true);
  });

  it("finds lines, in one folder, one file, or files of one kind", async () => {
    await scratch.write({
      ".gitignore": "*.gen.ts",
      "a.ts": "first\r\nneedle 1\r\n",
      "b.md": "needle 2\n",
      "x.gen.ts": "needle 3\n",
      "src/c.ts": "a\nb\nthe needle: 4",
      "binary.ts": Buffer.from("needle\0"),
    });
    expect(await grep("needle \\d|the needle")).toEqual([
      "a.ts:2:needle 1",
      "b.md:1:needle 2",
      "src/c.ts:3:the needle: 4",
    ]);
    expect(await grep("needle", { include: "*.ts" })).toEqual([
      "a.ts:2:needle 1",
      "src/c.ts:3:the needle: 4",
    ]);
    expect(await grep("needle", { include: "*.{md,txt}" })).toEqual(["b.md:1:needle 2"]);
    expect(await grep("needle", { include: "src/*.ts" })).toEqual(["src/c.ts:3:the needle: 4"]);
    expect(await grep("needle", { place: await roots().locate("src") })).toHaveLength(1);
    expect(await grep("needle", { place: await roots().locate("x.gen.ts") })).toEqual([
      "x.gen.ts:1:needle 3",
    ]);
    expect(await grep("not there")).toEqual([]);
    expect(await grep("-needle")).toEqual([]);
  });

  it("stops at the limit, and truncates long lines", async () => {
    await scratch.write({ many: "hit\n".repeat(500), long: `start hit ${"x".repeat(100_000)}\n` });
    const found = await search().searchText({ pattern: "hit", limit: 7 });
    expect(found.matches).toHaveLength(7);
    expect(found.truncated).toBe(true);
    const [long] = (await search().searchText({ pattern: "start" })).matches;
    expect(long?.text).toMatch(/^start hit x/);
    expect(long?.text.length).toBeLessThan(3_000);
  });

  it("reports an invalid expression or path", async () => {
    await scratch.write({ a: "x" });
    await expect(grep("(")).rejects.toMatchObject({
      name: "SearchProblem",
      message: expect.stringMatching(/search failed/) as string,
    });
    const folder = await roots().locate("none");
    await expect(grep("x", { place: folder })).rejects.toThrow(/no folder/);
    await expect(search().findFiles({ pattern: "*", folder })).rejects.toThrow(/no folder/);
  });

  it("ends with its signal", async () => {
    await scratch.write({ a: "x" });
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(search().findFiles({ pattern: "*", signal })).rejects.toThrow("stopped");
  });

  it("searches unsaved text instead of the file", async () => {
    const path = await scratch.write({
      "b.ts": "needle on disk\n",
      "a.ts": "one\nneedle on disk\n",
    });
    const added = join(scratch.project, "new.ts");
    const texts = new Map([
      [path, "needle unsaved\n"],
      [added, "\nneedle new\n"],
    ]);
    const unsaved = {
      all: () => [...texts.keys()],
      read: async ({ path: file }: { path: string }) => texts.get(file) ?? null,
    };
    const overlaid = new Search(roots(), unsaved, open);
    const { matches } = await overlaid.searchText({ pattern: "^needle", include: "*.ts" });
    expect(matches).toEqual([
      { path, line: 1, text: "needle unsaved" },
      { path: join(scratch.project, "b.ts"), line: 1, text: "needle on disk" },
      { path: added, line: 2, text: "needle new" },
    ]);
    const { paths } = await overlaid.findFiles({ pattern: "new.*" });
    expect(paths).toEqual([added]);
    expect((await overlaid.searchText({ pattern: "needle", include: "*.md" })).matches).toEqual([]);
  });
});

describe("looking through files", () => {
  it("without ripgrep stops at an expression that takes too long", async () => {
    await scratch.write({ a: `${"a".repeat(40)}b` });
    const search = new Search(roots(), noUnsaved, async () => nodeSearcher);
    await expect(search.searchText({ pattern: "^(a+)+$" })).rejects.toThrow(/search failed/);
  });

  it("returns nothing that a searcher found behind a link", async () => {
    const { project, outside } = scratch;
    await scratch.write({ "../outside/a": "secret\n", "sub/a": "public\n", b: "here\n" });
    const stale = join(project, "sub", "a");
    const links = join(project, "linked");
    await symlink(outside, links);
    const paths = [join(links, "a"), stale, join(project, "b")];
    const texts = ["secret", "secret", "here"];
    const racing: Searcher = {
      ...nodeSearcher,
      findFiles: async () => ({ paths, truncated: false }),
      searchText: async () => ({
        matches: paths.map((path, index) => ({ path, line: 1, text: texts[index] ?? "" })),
        truncated: false,
      }),
    };
    const search = new Search(roots(), noUnsaved, async () => racing);
    expect((await search.findFiles({ pattern: "*" })).paths).toEqual(paths.slice(1));
    // The folder may be back by now: the text is taken from the file that is opened.
    const { matches } = await search.searchText({ pattern: "secret|here" });
    expect(matches).toEqual([{ path: join(project, "b"), line: 1, text: "here" }]);
  });

  it("knows unsaved text from earlier reads through the client", async () => {
    const path = await scratch.write({ a: "saved", b: "same" });
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    client.buffers.set(join(scratch.project, "a"), "dirty");
    client.buffers.set(path, "same");
    const { project: cwd } = scratch;
    await using workspace = openWorkspace({ client, sessionId: "s", cwd, directories: [] });
    const lines = async () => (await workspace.searchText({ pattern: "\\w+" })).matches;
    expect((await lines()).map(({ text }) => text)).toEqual(["saved", "same"]);
    await workspace.readText(await workspace.locate("a"));
    await workspace.readText(await workspace.locate("b"));
    client.reads.length = 0;
    expect((await lines()).map(({ text }) => text)).toEqual(["dirty", "same"]);
    expect(client.reads).toEqual([join(scratch.project, "a")]);
    await scratch.write({ a: "dirty" });
    await workspace.readText(await workspace.locate("a"));
    client.reads.length = 0;
    await lines();
    expect(client.reads).toEqual([]);
  });
});
