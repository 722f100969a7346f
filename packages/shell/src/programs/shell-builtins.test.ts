import { describe, expect, it } from "vitest";
import { readCommand } from "../arguments/read-command.ts";
import { Recorder } from "../arguments/recorder.ts";
import { fixedWord } from "../parse/word.ts";
import { shellBuiltins } from "./shell-builtins.ts";

/** What `test` records about its words, which stand between single spaces here. */
function tested(words: string): Recorder {
  const record = new Recorder();
  readCommand(shellBuiltins["test|[|[["] ?? {}, words.split(" ").map(fixedWord), record);
  return record;
}

describe("a test of the shell", () => {
  it.each([
    "-f README.md ]",
    "1 -eq 2 ]",
    "-1 -lt 2 -a 3 -ge 2 ]",
    "10 -gt 9",
    "-n a",
    "'1' -ne 2 ]]",
    "a == b ]]",
    "-t 1 ]",
  ])("with %s only compares", (words) => {
    expect(tested(words).unknown).toBeNull();
  });

  it.each([
    "x -eq 1 ]]",
    "1 -eq x ]]",
    "1 -eq 1 -a x -lt 2 ]",
    "1+x -gt 0 ]]",
    "'x' -ge 0 ]]",
    "! x -le 0 ]]",
    "-t x ]]",
    "x -ne 1 ]",
    "-v x ]",
    "-R x ]]",
    "a = a -a -v x ]",
    "! -v x",
  ])("with %s may run what is in the value of a variable", (words) => {
    expect(tested(words).unknown).not.toBeNull();
  });

  it.each([
    ["-f ~root/x ]", "~root/x", "~root/x expanded"],
    ["-f '~root/x' ]", "~root/x", "~root/x expanded"],
    ['-e link-"out"/x ]', 'link-"out"/x', "link-out/x"],
  ])("with %s checks every file that it may name", (words, ...paths) => {
    const found = tested(words).paths.map(
      ({ word }) => `${word.text}${word.isTilde ? " expanded" : ""}`,
    );
    expect(found).toEqual(paths);
  });
});
