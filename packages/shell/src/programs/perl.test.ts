import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/summary.ts";

describe("perl", () => {
  it.each([
    ["perl -v", "free"],
    ["perl --version", "free"],
    ["perl src/a.pl x", "project"],
    ["perl -w -T src/a.pl", "project"],
    ["perl -c src/a.pl", "project"],
    ["perl -I lib src/a.pl", "project detour"],
    ["perl -Ilib src/a.pl", "project detour"],
    ["perl", "execute unknown"],
    ["perl -", "execute project unknown"],
    ["perl -e 'code'", "execute detour"],
    ["perl -E'code'", "execute detour"],
    ["perl -ne 'print' README.md", "execute detour"],
    ["perl -lane 'print' README.md", "execute detour"],
    ["perl -0777ne 'print' README.md", "execute detour"],
    ["perl -0xffne 'print' README.md", "execute detour"],
    ["perl -CSe 'code'", "execute detour"],
    ["perl -l012e 'code'", "execute detour"],
    ["perl -Mevil src/a.pl", "execute project detour"],
    ["perl -wMevil src/a.pl", "execute project detour"],
    ["perl -pi -e 's/a/b/' src/a.ts", "execute write detour"],
    ["perl -i.bak -pe 's/a/b/' src/a.ts", "execute write detour"],
    ["perl -d src/a.pl", "unknown"],
    ["perl -S a.pl", "unknown"],
    ["perl -e", "unknown"],
    ["perl $FLAGS a.pl", "unknown"],
  ])("%s is %s", (line, expected) => {
    expect(summary(line)).toBe(expected);
  });

  it("names the files that it is given", () => {
    expect(pathsOf("perl -pi -e 's/a/b/' .git/config")).toEqual(["write .git/config"]);
    expect(pathsOf("perl -ne 'print' -- ../x")).toEqual(["read ../x"]);
    expect(widened("perl src/a.pl x")).toBe("perl src/a.pl");
  });
});
