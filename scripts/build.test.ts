import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** A tree of its own with one source, and a bundler that copies it. */
let tree: string;
const inTree = (file: string) => path.join(tree, file);
const source = "packages/cli/src/start.ts";
const dist = "packages/cli/dist";

beforeEach(async () => {
  tree = await fs.mkdtemp(path.join(tmpdir(), "landline-build-"));
  await fs.mkdir(inTree("scripts/build"), { recursive: true });
  await fs.mkdir(inTree("packages/cli/src"), { recursive: true });
  for (const file of ["build.ts", "bundle.cjs"])
    await fs.copyFile(path.join(import.meta.dirname, file), inTree(`scripts/${file}`));
  await fs.writeFile(inTree("package.json"), '{"type":"module"}');
  await fs.writeFile(inTree("package-lock.json"), "{}");
  await fs.writeFile(inTree("packages/cli/package.json"), "{}");
  await fs.writeFile(inTree(source), "first");
  await useBundler("");
});
afterEach(() => fs.rm(tree, { recursive: true, force: true }));

function useBundler(meanwhile: string): Promise<void> {
  return fs.writeFile(
    inTree("scripts/build/bundle.ts"),
    `import * as fs from "node:fs";
     export async function writeBundle(folder: string): Promise<void> {
       fs.mkdirSync(folder, { recursive: true });
       fs.copyFileSync(${JSON.stringify(inTree(source))}, folder + "/landline.js");
       const change = (text: string) => fs.writeFileSync(${JSON.stringify(inTree(source))}, text);
       ${meanwhile}
     }`,
  );
}

const build = () => spawnSync(process.execPath, [inTree("scripts/build.ts")], { encoding: "utf8" });
const built = () => fs.readdir(inTree(dist));
const contentOf = (name: string) => fs.readFile(inTree(`${dist}/${name}/landline.js`), "utf8");

test("a bundle is named for its sources, and the same ones make the same", async () => {
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  const [first = ""] = await built();
  expect(await contentOf(first)).toBe("first");
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  expect(await built()).toEqual([first]);
  await fs.writeFile(inTree(source), "second");
  build();
  const second = (await built()).find((name) => name !== first) ?? "";
  expect(await contentOf(second)).toBe("second");
  // Somebody may still be running it.
  expect(await contentOf(first)).toBe("first");
});

test("what was made while a source changed is made again", async () => {
  await useBundler('change("edited")');
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  const names = await built();
  expect(await Promise.all(names.map(contentOf))).toEqual(["edited"]);
});

test("sources that never rest are not built, and nothing is left", async () => {
  await useBundler("change(String(Math.random()))");
  const { status, stderr } = build();
  expect(status).toBe(1);
  expect(stderr).toContain("Build again when they rest.");
  expect(await built()).toEqual([]);
});

test("ten are kept, the newest, and no draft of a build that was killed", async () => {
  const long = new Date(Date.now() - 24 * 60 * 60 * 1_000);
  const names = Array.from({ length: 12 }, (_, index) => index.toString(16).padStart(16, "0"));
  for (const [index, name] of [...names, ".killed-1"].entries()) {
    await fs.mkdir(inTree(`${dist}/${name}`), { recursive: true });
    const at = new Date(long.getTime() + index * 1_000);
    await fs.utimes(inTree(`${dist}/${name}`), at, at);
  }
  build();
  const kept = await built();
  expect(kept).toHaveLength(10);
  expect(kept.filter((name) => names.includes(name))).toEqual(names.slice(3));
});
