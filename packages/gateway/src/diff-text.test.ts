import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diffText } from "./diff-text.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

test("shows each change with a few lines of context", () => {
  const before = numbered(40);
  const after = before.with(5, "five").toSpliced(30, 1);
  expect(diffText("a.ts", `${before.join("\n")}\n`, `${after.join("\n")}\n`)).toBe(
    [
      "--- a.ts",
      "+++ a.ts",
      "@@ -3,7 +3,7 @@",
      " line 2",
      " line 3",
      " line 4",
      "-line 5",
      "+five",
      " line 6",
      " line 7",
      " line 8",
      "@@ -28,7 +28,6 @@",
      " line 27",
      " line 28",
      " line 29",
      "-line 30",
      " line 31",
      " line 32",
      " line 33",
    ].join("\n"),
  );
});

test("shows a new file completely, an empty one by its name, and nothing without changes", () => {
  expect(diffText("a", null, "one\n")).toBe("--- /dev/null\n+++ a\n@@ -0,0 +1,1 @@\n+one");
  expect(diffText("a", null, "")).toBe("--- /dev/null\n+++ a");
  expect(diffText("a", "one\n", "one\n")).toBe("");
});

test("marks a missing line end at the end of one text, as patches do", () => {
  const none = String.raw`\ No newline at end of file`;
  const head = ["--- a", "+++ a"];
  const lines = (...rows: string[]) => [...head, ...rows].join("\n");
  expect(diffText("a", "x", "x\n")).toBe(lines("@@ -1,1 +1,1 @@", "-x", none, "+x"));
  expect(diffText("a", "x\n", "x")).toBe(lines("@@ -1,1 +1,1 @@", "-x", "+x", none));
  expect(diffText("a", "x\ny", "z\ny")).toBe(lines("@@ -1,2 +1,2 @@", "-x", "+z", " y"));
  expect(diffText("a", "", "\n")).toBe(lines("@@ -0,0 +1,1 @@", "+"));
  expect(diffText("a", "x", "x")).toBe("");
});

/** A minimal `patch` that checks every context line. */
function applied(text: string, diff: string): string {
  const before = text.split("\n").slice(0, -1);
  const after: string[] = [];
  let at = 0;
  for (const row of diff.split("\n").slice(2)) {
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),\d+ @@$/.exec(row);
    if (hunk) {
      const start = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
      after.push(...before.slice(at, start));
      at = start;
    } else if (row.startsWith("+")) after.push(row.slice(1));
    else {
      if (row.slice(1) !== before[at++]) throw new Error(`${row} is not in its place.`);
      if (row.startsWith(" ")) after.push(row.slice(1));
    }
  }
  return [...after, ...before.slice(at)].map((line) => `${line}\n`).join("");
}

test("turns the old text into the new one", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d", "", "{", "}", "-- x", "++ y"), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applied(before, diffText("file", before, after))).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test("of long texts with nothing or everything in common is fast", () => {
  const long = numbered(130_000).join("\n");
  const other = numbered(130_000).toReversed().join("\n");
  expect(diffText("a", long, other).length).toBeGreaterThan(long.length);
  const same = "x\n".repeat(20_000);
  expect(diffText("a", same, `${same}y\n`)).toMatch(/^--- a\n\+\+\+ a\n@@ -19998,3 \+19998,4 @@\n/);
});
