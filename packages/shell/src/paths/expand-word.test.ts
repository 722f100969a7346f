import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Word } from "../parse/word.ts";
import { FileSnapshot } from "./file-snapshot.ts";
import { expandWord } from "./expand-word.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "landline-expand-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function fill(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), "");
  }
}

async function expand(text: string, given: Partial<Word> = {}): Promise<string[] | null> {
  const word = { text, known: "names", isTilde: false, splits: false, ...given } as const;
  return (
    (await expandWord(word, folder, "/home/ada", new FileSnapshot([folder])))?.toSorted() ?? null
  );
}

describe("what a glob becomes", () => {
  it("contains every name that it may match, and the glob itself", async () => {
    await fill("a.ts", "b.ts", "c.md");
    expect(await expand("*.ts")).toEqual(["*.ts", "a.ts", "b.ts"]);
    expect(await expand("x*")).toEqual(["x*"]);
    // A case-sensitive shell finds nothing.
    expect(await expand("A*")).toEqual(["A*", "a.ts"]);
  });

  it.each([".[[:alpha:]]nv", ".e[n]]v", ".e[!x]v", ".[e]*"])(
    "reads the set in %s",
    async (glob) => {
      await fill(".env");
      expect(await expand(glob)).toContain(".env");
    },
  );

  it("contains hidden names only if the glob begins with a dot", async () => {
    await fill(".env", "env");
    expect(await expand("*")).toEqual(["*", "env"]);
    expect(await expand(".*")).toEqual([".", ".*", "..", ".env"]);
  });

  it("matches in subfolders", async () => {
    await fill("one/a/x.ts", "two/a/y.ts", "two/b/z.ts");
    expect(await expand("*/a/*")).toEqual(["*/a/*", "one/a/x.ts", "two/a/y.ts"]);
    expect(await expand("two/**")).toContain("two/b/z.ts");
    expect(await expand("two/***")).toContain("two/b/z.ts");
    expect(await expand(`${folder}/one/*`)).toContain(`${folder}/one/a`);
  });

  it("resolves .. relative to the target of a link", async () => {
    await fill("real/deep/x", "real/found");
    await symlink("real/deep", join(folder, "link"));
    expect(await expand("link/../f*")).toEqual(["link/../f*", "link/../found"]);
  });

  it("is not known if a name would become an option", async () => {
    await fill("-o");
    expect(await expand("*")).toBeNull();
    expect(await expand("./*")).toEqual(["./*", "./-o"]);
  });

  it.each(["a b", "a\nb", "a\tb", String.raw`a\b`, "a*", "a[b]"])(
    "is not known if the shell splits %j",
    async (name) => {
      await fill(name);
      expect(await expand("*")).toContain(name);
      expect(await expand("*", { splits: true })).toBeNull();
      expect(await expand("x/*", { splits: true, loopGlobs: ["*"] })).toBeNull();
    },
  );

  it("is not known if the shell splits the glob itself", async () => {
    expect(await expand("src .env *", { splits: true })).toBeNull();
    expect(await expand("x/src .env *", { splits: true, loopGlobs: ["src .env *"] })).toBeNull();
    expect(await expand("src .env *")).toEqual(["src .env *"]);
  });

  it("is not known if there are names that are not valid UTF-8", async () => {
    await fill("a.ts", "plain/b.ts");
    await symlink("/", Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]));
    expect(await expand("*")).toBeNull();
    expect(await expand("?")).toBeNull();
    expect(await expand("**")).toBeNull();
    expect(await expand("*/secret")).toBeNull();
    expect(await expand("plain/*")).toEqual(["plain/*", "plain/b.ts"]);
  });

  it("is not known if there are too many names", async () => {
    await fill(...Array.from({ length: 501 }, (_, index) => `${index}`));
    expect(await expand("*")).toBeNull();
  });
});
