import { describe, expect, it } from "vitest";
import { fixedWord } from "../../parse/word.ts";
import { Recorder } from "../recorder.ts";
import { readSed } from "./sed.ts";

function isHarmless(script: string): boolean {
  const record = new Recorder();
  readSed(fixedWord(script), record);
  return record.unknown === null;
}

describe("readSed", () => {
  it.each([
    "1,5p",
    "/a/,/b/{p;d}",
    "s/[[:space:]]*$//",
    "s/x/[&]/g",
    "s/x/]/;s/y/[/",
    "s|a/b|c|p",
    String.raw`s/[\/]/-/`,
    String.raw`/[\[\]]/Id`,
    "y/abc/xyz/",
  ])("accepts %s", (script) => {
    expect(isHarmless(script)).toBe(true);
  });

  it.each([
    "w f",
    "1e id",
    "s/a/b/w f",
    "s/a/b/e",
    "r /etc/passwd",
    // If a bracket expression continues, the rest is a command.
    "/[[:alpha:]/p;s/]/w f/",
    "/[/p;s/]/w f/",
    "/[^]/p;s/]/w f/",
    "s/[[:alpha:]/p;s/]/w f/",
    "s,[,],w f,",
    "s]a[b]w f]",
    "y/[/]/;s/a/w f/",
    "séaéw fé",
  ])("refuses %s", (script) => {
    expect(isHarmless(script)).toBe(false);
  });
});
