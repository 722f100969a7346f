import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { assignArguments, splitArguments } from "./command-arguments.ts";
import { expandTemplate, type ExpandOptions } from "./expand-template.ts";

const nothing: ExpandOptions = {
  run: () => Promise.reject(new Error("nothing may run")),
  read: () => Promise.resolve(null),
};

it.each([
  ["Fix $ARGUMENTS now", `a "b c"`, `Fix a "b c" now`],
  ["$1 and $2", `one two three "four five"`, "one and two three four five"],
  ["$2 then $1", `"a b" c`, "c then a b"],
  ["$1-$2-$3", "x", "x--"],
  ["No place", "for these", "No place\n\nfor these"],
  ["No place", "", "No place"],
  ["costs $100", "x", "costs $100\n\nx"],
  ["mail me@home.org and @nobody.", "", "mail me@home.org and @nobody."],
])("fills %j with %j", async (template, given, expected) => {
  await expect(expandTemplate(template, given, nothing)).resolves.toBe(expected);
});

it("runs shell lines in order, with the arguments in them", async () => {
  const lines: string[] = [];
  const run = (line: string) => {
    lines.push(line);
    return Promise.resolve(`<${line}>\n`);
  };
  const text = await expandTemplate("A !`git log $1` B !`date`", "main", { ...nothing, run });
  expect(text).toBe("A <git log main> B <date>");
  expect(lines).toEqual(["git log main", "date"]);
});

it("appends each file once, and leaves names without a file unchanged", async () => {
  const read = (path: string) => Promise.resolve(path.endsWith(".ts") ? `text of ${path}` : null);
  const text = await expandTemplate(
    "See @src/a.ts, (@./b.ts) @src/a.ts @$1 @.dot/d.ts and @team... @...",
    "c.ts",
    {
      ...nothing,
      read,
    },
  );
  expect(text).toBe(
    [
      "See @src/a.ts, (@./b.ts) @src/a.ts @c.ts @.dot/d.ts and @team... @...",
      ...["src/a.ts", "./b.ts", "c.ts", ".dot/d.ts"].map(
        (path) => `<file path="${path}">\ntext of ${path}\n</file>`,
      ),
    ].join("\n\n"),
  );
});

it("does not expand what it inserted", async () => {
  const run = () => Promise.resolve("$1 !`rm` @a.ts");
  const read = () => Promise.reject(new Error("nothing may be read"));
  const text = await expandTemplate("$1 !`x`", "$2 !`rm -rf` @a.ts", { run, read });
  expect(text).toBe("$2 !`rm -rf` @a.ts $1 !`rm` @a.ts");
});

it("fails if a shell line fails, and refuses too many", async () => {
  await expect(expandTemplate("!`x`", "", nothing)).rejects.toThrow("nothing may run");
  const run = () => Promise.resolve("");
  await expect(expandTemplate("!`x` ".repeat(17), "", { ...nothing, run })).rejects.toThrow(
    "more than 16",
  );
});

it("truncates long insertions", async () => {
  const run = () => Promise.resolve("x".repeat(60_000));
  const text = await expandTemplate("!`x`", "", { ...nothing, run });
  expect(text).toContain("cut after 50000 characters");
  expect(text.length).toBeLessThan(50_100);
});

const word = fc.stringMatching(/^[^\s"'\\]+$/);

test.prop([fc.array(fc.oneof(word, fc.stringMatching(/^[^"'\\]+$/)))])(
  "splitting quoted words returns the same words",
  (words) => {
    const text = words.map((one) => `"${one}"`).join(" ");
    expect(splitArguments(text)).toEqual(words);
  },
);

test.prop([fc.string(), fc.integer({ min: 1, max: 9 })])(
  "returns as many values as were requested and loses no plain word",
  (text, count) => {
    const words = splitArguments(text);
    const missing = Array.from({ length: Math.max(0, count - words.length) }, () => "");
    const values = assignArguments(text, count);
    expect(values).toHaveLength(count);
    expect(values.join(" ")).toBe([...words, ...missing].join(" "));
  },
);
