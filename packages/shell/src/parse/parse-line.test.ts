import { expect, it } from "vitest";
import { openLineParser } from "./parse-line.ts";

it.each([
  ["cat {a,b}", true, null],
  ["cat {a,b}", false, "braces mean something else to a POSIX shell"],
  ["seq {1..3}", false, "braces mean something else to a POSIX shell"],
  ["find . -name x -exec cat {} +", false, null],
])("%s, run by bash: %s", async (line, hasBash, problem) => {
  const parse = await openLineParser({ home: "/nowhere", platform: "linux", hasBash });
  expect(parse(line).problem).toBe(problem);
});

it.each([
  ["ls \\\n  -l", null],
  ["ls &&\\\npwd", null],
  ['echo "a\\\nb"', null],
  ["echo 'a$\\\n(b)'", null],
  ["echo a\\\\\nls", null],
  ['echo "$\\\n(ls)"', "where its words end is ambiguous"],
  ["ls -\\\nl", "where its words end is ambiguous"],
])("%j may continue only between words", async (line, problem) => {
  const parse = await openLineParser({ home: "/nowhere", platform: "linux", hasBash: true });
  expect(parse(line).problem).toBe(problem);
});
