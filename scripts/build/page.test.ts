import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writePage } from "./page.ts";

let tree: string;
const inTree = (file: string) => path.join(tree, file);
const root = path.join(import.meta.dirname, "../..");

beforeEach(async () => {
  tree = await fs.mkdtemp(path.join(tmpdir(), "landline-page-"));
  await fs.mkdir(inTree("web/src"), { recursive: true });
  await fs.mkdir(inTree("web/public"));
  await fs.symlink(path.join(root, "node_modules"), inTree("node_modules"));
  await fs.writeFile(inTree("web/vite.config.ts"), 'export default { base: "./" };');
  await fs.writeFile(inTree("web/public/icon.svg"), `<svg>${"x".repeat(2_000)}</svg>`);
  await fs.writeFile(inTree("web/public/small.txt"), "small");
  const page = '<div id="root"></div><script type="module" src="./src/main.ts"></script>';
  await fs.writeFile(inTree("web/index.html"), page);
  await useSource('import { clsx } from "clsx"; document.title = clsx("a", "b");');
});
afterEach(() => fs.rm(tree, { recursive: true, force: true }));

const useSource = (text: string) => fs.writeFile(inTree("web/src/main.ts"), text);
const write = () => writePage(inTree("out"), inTree("web"));

test("builds the page with its licences and compressed copies", async () => {
  await useSource(
    `import { clsx } from "clsx"; document.title = clsx(${JSON.stringify("word ".repeat(500))});`,
  );
  await write();
  const html = await fs.readFile(inTree("out/index.html"), "utf8");
  const script = /src="\.\/(assets\/index-[\w-]{8}\.js)"/.exec(html)?.[1] ?? "";
  const files = await fs.readdir(inTree("out"), { recursive: true });
  for (const file of [script, "icon.svg"]) {
    const bytes = await fs.readFile(inTree(`out/${file}`));
    expect(brotliDecompressSync(await fs.readFile(inTree(`out/${file}.br`)))).toEqual(bytes);
    expect(gunzipSync(await fs.readFile(inTree(`out/${file}.gz`)))).toEqual(bytes);
  }
  expect(files).not.toContain("small.txt.br");
  expect(await fs.readFile(inTree("out/LICENSES.txt"), "utf8")).toMatch(/^clsx [\d.]+ \(MIT\)/);
});

test("reports errors with Vite's own message", async () => {
  await useSource('import "./missing.ts";');
  await expect(write()).rejects.toThrow(/Could not resolve '.\/missing.ts' in .*main.ts/);
});
