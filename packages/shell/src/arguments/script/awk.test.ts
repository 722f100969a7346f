import { describe, expect, it } from "vitest";
import { fixedWord } from "../../parse/word.ts";
import { Recorder } from "../recorder.ts";
import { readAwk } from "./awk.ts";

function isHarmless(program: string): boolean {
  const record = new Recorder();
  readAwk(fixedWord(program), record);
  return record.unknown === null;
}

describe("readAwk", () => {
  it.each([
    "{print $1}",
    '{print $1/1024/1024 " MB"}',
    "/start/,/end/",
    "NR==1 || /x|y/ {print $2}",
    'BEGIN {FS=","} {s += $3} END {print (s)/NR}',
    "{a[$1]++} END {for (k in a) print k, a[k]}",
    "!seen[$0]++",
    '{gsub(/\\//, "-"); print}',
    "$1 ~ /^a\\/b$/",
    "length > 80",
    "NR > 1\n/x/ {print}",
    "$3 >= 100 {print $1}",
    "{if ($3 > 100) print (a > b)}",
    "/[[:alpha:]_]+/ {print $1}",
    "/^[^#]/ {n += 1.5}",
    String.raw`/[\[\]]/`,
  ])("accepts %s", (program) => {
    expect(isHarmless(program)).toBe(true);
  });

  it.each([
    '{print > "f"}',
    '{print | "sh"}',
    '{print (1) > "f"}',
    '{x = (1); print >> "f"}',
    '{print}) > "f"',
    '(print > "f")}',
    '{"id" | getline x}',
    '{while ((getline l < "f") > 0) print l}',
    'BEGIN {system("id")}',
    'BEGIN {print ENVIRON["HOME"]}',
    'BEGIN {ARGV[1] = "/etc/passwd"}',
    '@load "filefuncs"',
    '@include "x"',
    // A slash that may divide or begin a regular expression must not hide a string.
    'NR\n/"/{print > "f"}/"/',
    '{if(1)/"/;print > "f";if(1)/"/}',
    '{if(0);else /"/;print > "f";x=/"/}',
    '{exit /"/;print > "f";x=/"/}',
    '{x++ /"/;print > "f";x=/"/}',
    '{x = length /"/ y "/ 1; print > "f"; z = ""}#"}',
    '{x = (1) /#/\nprint > "f"}',
    // Implementations disagree where a bracket expression ends.
    '/[[:alpha:]/ "]/ {system("id")} /"/',
    '/[]/ "]/ {system("id")} /"/',
    '/[^]/ "]/ {system("id")} /"/',
    '/[[]/ "]/ {system("id")} /"/',
    String.raw`/[\]/ "]/ {system("id")} /"/`,
    '/[/ "]/ {system("id")} /"/',
    // A slash after a regular expression divides in some of them.
    '/a/ / system("id") / 1',
    'BEGIN { switch (1) { case /"/: break; default: system("id"); case /"/: break } }',
    // A number and the name of a function.
    'BEGIN {x = 1system("id")}',
    'BEGIN {x = 1.5system("id")}',
    '{x = 1length /"/ y "/ 1; print > "f"; z = ""}#"}',
    'BEGIN {bindtextdomain ("..")}',
  ])("refuses %s", (program) => {
    expect(isHarmless(program)).toBe(false);
  });
});
