import { existsSync, globSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const isOurs = { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] };
const pages = globSync(["*.md", "docs/**/*.md", "packages/*/*.md"], isOurs);
const sources = globSync(["*.ts", "{packages,bench,scripts}/**/*.{ts,tsx,cjs}"], isOurs);
const fileNames = new Set(sources.map((file) => path.basename(file)));
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

/** The text without code, where brackets are not links. */
const proseOf = (page: string) => read(page).replaceAll(/^```[\s\S]*?^```|`[^`\n]+`/gm, "");

/** Anchors of the headings of a page, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = read(page).matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(/\s/g, "-"),
    ),
  );
}

test.each(pages)("every link of %s leads to a file and a heading that exist", (page) => {
  const broken: string[] = [];
  for (const [, link, attribute] of proseOf(page).matchAll(
    /\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g,
  )) {
    const target = link ?? attribute!;
    if (/^[a-z]+:/.test(target)) continue;
    const [file = "", anchor] = target.split("#");
    const linked = file === "" ? page : path.join(path.dirname(page), file);
    const isThere =
      existsSync(path.join(root, linked)) &&
      (anchor === undefined || anchorsOf(linked).has(anchor));
    if (!isThere) broken.push(target);
  }
  expect(broken).toEqual([]);
});

/** Parts of paths in examples. */
const placeholder = /NAME|NNN|^packages\/x\//;

test.each(pages)("every path and source file that %s names exists", (page) => {
  const named = (pattern: RegExp) =>
    Array.from(read(page).matchAll(pattern), ([, name]) => name!).filter(
      (name) => !placeholder.test(name),
    );
  const paths = named(/`((?:packages|docs|scripts|bench)\/[\w./@-]+)`/g);
  const files = named(/`((?:[\w.@-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:tsx?|cjs))`/g);
  expect([
    ...paths.filter((name) => !existsSync(path.join(root, name))),
    ...files.filter((name) => !fileNames.has(path.basename(name))),
  ]).toEqual([]);
});

const decisions = globSync("docs/decisions/*.md", { cwd: root })
  .map((file) => path.basename(file))
  .toSorted();
const numberOf = (decision: string) => decision.slice(0, 4);

test("decisions are numbered without gaps, and their titles begin with the number", () => {
  const wanted = decisions.map((_, index) => String(index + 1).padStart(4, "0"));
  expect(decisions.map(numberOf)).toEqual(wanted);
  for (const decision of decisions) {
    expect(read(`docs/decisions/${decision}`)).toMatch(`# ${numberOf(decision)}: `);
  }
});

test("every decision that sources and docs name exists", () => {
  const numbers = new Set(decisions.map(numberOf));
  const names = new Set(decisions);
  const missing = [...pages, ...sources].flatMap((file) => {
    const text = read(file);
    const byNumber = Array.from(text.matchAll(/decisions?[\s*/]+(\d{4})\b/gi), ([, it]) => it!);
    const byName = Array.from(text.matchAll(/\b\d{4}-[a-z-]+\.md\b/g), ([name]) => name);
    return [
      ...byNumber.filter((number) => !numbers.has(number)),
      ...byName.filter((name) => !names.has(name)),
    ].map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test("every file that the map of docs/architecture.md names exists", () => {
  const map = read("docs/architecture.md").split("## The map")[1]!.split("## Recipes")[0]!;
  const named = map.match(/[\w-]+(?:\.test)?\.(?:tsx?|cjs)\b/g) ?? [];
  expect(named.length).toBeGreaterThan(200);
  expect(named.filter((name) => !fileNames.has(name))).toEqual([]);
});
