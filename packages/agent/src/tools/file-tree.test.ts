import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { fileTree } from "./file-tree.ts";

test("expands folders level by level up to the limit", () => {
  const paths = ["a/b/c/1", "a/b/c/2", "d/3", "e"];
  expect(fileTree(paths, 100)).toBe(
    "  a/\n    b/\n      c/\n        1\n        2\n  d/\n    3\n  e",
  );
  expect(fileTree(paths, 5)).toBe("  a/\n    b/ (2 files)\n  d/\n    3\n  e");
});

test("truncates a list that is too long", () => {
  const tree = fileTree(["a", "b", "c"], 2);
  expect(tree).toBe("  a\n  b\n  … and 1 more");
});

const name = fc.constantFrom("a", "b", "c", "d");
const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => `${names.join("/")}.x`);

test.prop([fc.uniqueArray(path, { minLength: 1 }), fc.integer({ min: 1, max: 60 })])(
  "stays within the limit, and counts the rest",
  (paths, most) => {
    const lines = fileTree(paths, most).split("\n");
    const more = lines.at(-1)?.startsWith("  … and") === true;
    expect(lines.length).toBeLessThanOrEqual(more ? most + 1 : most);
    if (more) return;
    const counted = lines.reduce((sum, line) => {
      const files = /\((\d+) files?\)$/u.exec(line)?.[1];
      if (files !== undefined) return sum + Number(files);
      return line.endsWith("/") ? sum : sum + 1;
    }, 0);
    expect(counted).toBe(paths.length);
  },
);
