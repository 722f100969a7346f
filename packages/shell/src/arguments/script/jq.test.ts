import { describe, expect, it } from "vitest";
import { fixedWord } from "../../parse/word.ts";
import { Recorder } from "../recorder.ts";
import { readJq } from "./jq.ts";

function isHarmless(filter: string): boolean {
  const record = new Recorder();
  readJq(fixedWord(filter), record);
  return record.unknown === null;
}

describe("readJq", () => {
  it.each([
    ".",
    ".scripts | keys[]",
    '.name + "@" + .version',
    String.raw`.scripts | to_entries[] | "\(.key): \(.value)"`,
    String.raw`"a \(.b | map("\(.c)") | join(", ")) d"`,
    String.raw`"a \"quoted\" word"`,
    "{name, env: .x}",
    ".env.NODE_ENV",
    "{env}",
    "{a: [1, 2], env, home: .x}",
    "{a: if .b then 1 else 2 end, env, if: .c}",
    ".[] | {a, # comment\n env : 1}",
    '.[] | select(.type == "start") # comment',
  ])("accepts %s", (filter) => {
    expect(isHarmless(filter)).toBe(true);
  });

  it.each([
    "env",
    "$ENV",
    "$ENV.HOME",
    ".a, env",
    String.raw`"\(env)"`,
    String.raw`"\("\(env)")"`,
    String.raw`"\(1) \(env.HOME)"`,
    'import "a" as a; .',
    'include "a"; .',
    "input_filename",
    "getpath($__prog_args)",
    '"open',
    "path(.[0,env:2])",
    ".[0,env:2]",
    "[1,env]",
    "{a: (1,env)}",
    "{a: [1,env]}",
    "{a: env}",
    "{(env): 1}",
    "{a: 1 | env}",
    "{a: if true then 1, env, 2 else 3 end}",
    "{envsubst: 1}",
    "1 end",
    "(1,env) as {a: $x} | $x",
    "1.env",
    "[1}",
    String.raw`"\(1"`,
    // Some versions continue the comment, and then `env` is no part of the string.
    '# \\\n "\n env #"',
  ])("refuses %s", (filter) => {
    expect(isHarmless(filter)).toBe(false);
  });
});
