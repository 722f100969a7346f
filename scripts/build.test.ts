import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** A temporary tree with one source of the gateway and one of the page, and builders that copy them. */
let tree: string;
const inTree = (file: string) => path.join(tree, file);
const source = "packages/cli/src/start.ts";
const dist = "packages/cli/dist";
const pageSource = "packages/web/src/main.tsx";
const pageDist = "packages/web/dist";

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
  for (const name of ["index.html", "vite.config.ts", "tsconfig.json", "package.json"]) {
    await fs.mkdir(inTree("packages/web/src"), { recursive: true });
    await fs.writeFile(inTree(`packages/web/${name}`), "");
  }
  await fs.writeFile(inTree("tsconfig.json"), "{}");
  await fs.writeFile(inTree(pageSource), "page one");
  await fs.writeFile(inTree("scripts/build/page.ts"), pageBuilder());
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

const pageBuilder = () => `
  import * as fs from "node:fs";
  export async function writePage(folder) {
    const text = fs.readFileSync(${JSON.stringify(inTree(pageSource))}, "utf8");
    if (text === "broken") throw new Error("Could not resolve './missing.tsx'");
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(folder + "/index.html", text);
  }`;

const build = () => spawnSync(process.execPath, [inTree("scripts/build.ts")], { encoding: "utf8" });
const built = () => fs.readdir(inTree(dist));
const contentOf = (name: string) => fs.readFile(inTree(`${dist}/${name}/landline.js`), "utf8");

test("a bundle is named by the hash of its sources", async () => {
  expect(build()).toMatchObject({ status: 0 });
  const [first = ""] = await built();
  expect(await contentOf(first)).toBe("first");
  expect(build()).toMatchObject({ status: 0 });
  expect(await built()).toEqual([first]);
  await fs.writeFile(inTree(source), "second");
  build();
  const second = (await built()).find((name) => name !== first) ?? "";
  expect(await contentOf(second)).toBe("second");
  // A running gateway may still use it.
  expect(await contentOf(first)).toBe("first");
});

test("builds again if a source changed during the build", async () => {
  await useBundler('change("edited")');
  expect(build()).toMatchObject({ status: 0 });
  const names = await built();
  expect(await Promise.all(names.map(contentOf))).toEqual(["edited"]);
});

test("fails if sources keep changing, and leaves nothing behind", async () => {
  await useBundler("change(String(Math.random()))");
  const { status, stderr } = build();
  expect(status).toBe(1);
  expect(stderr).toContain("Build again when they no longer change.");
  expect(await built()).toEqual([]);
});

test("keeps the ten newest builds, and removes drafts of killed builds", async () => {
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

test("ignores builds that another process removes meanwhile", async () => {
  await fs.mkdir(inTree(dist), { recursive: true });
  // Listed, but already removed.
  for (const name of [".0123456789abcdef-17", "fedcba9876543210"])
    await fs.symlink(inTree("gone"), inTree(`${dist}/${name}`));
  expect(build()).toMatchObject({ status: 0 });
});

const pages = () => fs.readdir(inTree(pageDist));
const pageAt = (name: string) => fs.readFile(inTree(`${pageDist}/${name}/index.html`), "utf8");

test("builds the page separately, if one of its sources changed", async () => {
  expect(build().stderr).toMatch(/building the gateway…[^]*building the page…/);
  const [first = ""] = await pages();
  expect(await pageAt(first)).toBe("page one");
  expect(build().stderr).toBe("");
  await fs.writeFile(inTree("packages/web/src/main.test.tsx"), "a test is not in it");
  expect(build().stderr).toBe("");
  await fs.writeFile(inTree(pageSource), "page two");
  const again = build();
  expect(again.stderr).toContain("building the page…");
  expect(again.stderr).not.toContain("building the gateway…");
  const second = (await pages()).find((name) => name !== first) ?? "";
  expect(await pageAt(second)).toBe("page two");
  // A running gateway serves it.
  expect(await pageAt(first)).toBe("page one");
});

test("a page that can't be built fails with the builder's message, and leaves nothing behind", async () => {
  await fs.writeFile(inTree(pageSource), "broken");
  const { status, stderr } = build();
  expect(status).toBe(1);
  expect(stderr).toMatch(/Building the page failed:[^]*Could not resolve '.\/missing.tsx'/);
  expect(await pages().catch(() => [])).toEqual([]);
  expect(await built()).toHaveLength(1);
});

test("a tree without sources of the page needs no page", async () => {
  await fs.rm(inTree("packages/web"), { recursive: true });
  expect(build()).toMatchObject({ status: 0 });
});
