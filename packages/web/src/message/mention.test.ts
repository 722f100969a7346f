import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { fileUri, mentionsIn, segmentsOf } from "./mention.ts";

const source = { name: "src", path: "/repo/src" };
const main = { name: "src/main.ts", path: "/repo/src/main.ts" };
const spaced = { name: "my file.ts", path: "/repo/my file.ts" };

test("returns the mentions in the text in order, each once", () => {
  const text = "@my file.ts and @src/main.ts and @my file.ts";
  expect(mentionsIn(text, [main, spaced, source])).toEqual([spaced, main]);
});

test("a longer name is not a mention of a shorter one", () => {
  expect(mentionsIn("@src/main.ts", [source, main])).toEqual([main]);
  expect(mentionsIn("@src and @src/main.ts", [source, main])).toEqual([source, main]);
});

test("a name that was edited is not a mention", () => {
  expect(mentionsIn("@src/mai", [main])).toEqual([]);
});

const names = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom("a", "b", "/", " ", "@") }));
property.prop([fc.string({ unit: fc.constantFrom("a", "b", "/", " ", "@", "\n") }), names])(
  "the segments make up the text, each at its position",
  (text, all) => {
    const segments = segmentsOf(
      text,
      all.map((name) => ({ name, path: name })),
    );
    expect(segments.map((segment) => segment.text).join("")).toBe(text);
    for (const segment of segments) expect(text.startsWith(segment.text, segment.from)).toBe(true);
  },
);

test.each([
  ["/repo/my file.ts", "file:///repo/my%20file.ts"],
  ["/a#b?c", "file:///a%23b%3Fc"],
  ["C:\\repo\\a.ts", "file:///C:/repo/a.ts"],
])("the file URI of %s", (path, uri) => {
  expect(fileUri(path)).toBe(uri);
  expect(URL.canParse(uri)).toBe(true);
});
