import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellLine } from "./shell-words.ts";

describe("shellLine", () => {
  it.each<readonly [readonly string[], string]>([
    [["npm", "test"], "npm test"],
    [["bash", "-c", "a && b"], "bash -c 'a && b'"],
    [["ls", "*.ts", "~/a"], "ls '*.ts' '~/a'"],
    [["echo", "it's"], `echo "it's"`],
    [["echo", "it's $HOME"], String.raw`echo 'it'\''s $HOME'`],
    [["echo", "it's !1"], String.raw`echo 'it'\''s !1'`],
    [["NAME=value", "--option=value"], "'NAME=value' --option=value"],
    [["echo", ""], "echo ''"],
  ])("quotes %j as %j", (words, line) => {
    expect(shellLine(words)).toBe(line);
  });

  it("returns a line that a shell splits into the same words", () => {
    const word = fc.stringMatching(/^[ -~äé\n]{0,8}$/);
    const lists = fc.sample(fc.array(word, { minLength: 1, maxLength: 5 }), 300);
    const script = lists
      .map((words) => `printf '%s\\0' ${shellLine(words)}; printf '\\1'`)
      .join("\n");
    const { stdout } = spawnSync("sh", ["-s"], { input: script, encoding: "utf8" });
    const read = stdout.split("\u0001").slice(0, -1);
    expect(read.map((text) => text.split("\0").slice(0, -1))).toEqual(lists);
  });
});
