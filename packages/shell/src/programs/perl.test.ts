import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("perl", () => {
  it.each([
    ["perl -v", "read-only"],
    ["perl --version", "read-only"],
    ["perl src/a.pl x", "project"],
    ["perl -w -T src/a.pl", "project"],
    ["perl -c src/a.pl", "project"],
    ["perl -I lib src/a.pl", "project deviation"],
    ["perl -Ilib src/a.pl", "project deviation"],
    ["perl", "execute unknown"],
    ["perl -", "execute project unknown"],
    ["perl -e 'code'", "execute deviation"],
    ["perl -E'code'", "execute deviation"],
    ["perl -ne 'print' README.md", "execute deviation"],
    ["perl -lane 'print' README.md", "execute deviation"],
    ["perl -0777ne 'print' README.md", "execute deviation"],
    ["perl -0xffne 'print' README.md", "execute deviation"],
    ["perl -CSe 'code'", "execute deviation"],
    ["perl -l012e 'code'", "execute deviation"],
    ["perl -Mevil src/a.pl", "execute project deviation"],
    ["perl -wMevil src/a.pl", "execute project deviation"],
    ["perl -pi -e 's/a/b/' src/a.ts", "execute write deviation"],
    ["perl -i.bak -pe 's/a/b/' src/a.ts", "execute write deviation"],
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
