import { expect, test } from "vitest";
import type { PermissionRequest } from "../permission/rule.ts";
import { canRemember, coverage, shortNames } from "./always-option.ts";

function bash(always: string[], ...alsoAllows: string[]): PermissionRequest {
  return {
    permission: "bash",
    patterns: ["x"],
    always,
    ...(alsoAllows.length > 0 && { alsoAllows }),
  };
}

function outside(access: "read" | "change", ...always: string[]): PermissionRequest {
  const permission = "external_directory";
  return { permission, patterns: always, always, alwaysAs: { permission, access } };
}

test("an option names commands, places and kinds of calls in a few words", () => {
  const edit = { permission: "edit", patterns: ["a"], always: ["*"] };
  const fetch = { permission: "webfetch", patterns: ["a"], always: ["https://a.example/*"] };
  expect(shortNames([bash(["git commit *"], "with more")])).toBe("“git commit …”");
  expect(shortNames([bash(["npm test *", "> out.txt"])])).toBe("“npm test …”, “> out.txt”");
  expect(shortNames([edit])).toBe("edits");
  expect(shortNames([fetch])).toBe("https://a.example/*");
  expect(shortNames([outside("read", "/etc/*")])).toBe("reading in /etc and below");
  expect(shortNames([outside("change", "/a/*", "/b/*")])).toBe(
    "changing files in /a, /b and below",
  );
  expect(shortNames([outside("read", "/*")])).toBe("reading in / and below");
  expect(shortNames([outside("read", "/a/*"), bash(["npm test --prefix /a"])])).toBe(
    "reading in /a and below and “npm test --prefix /a”",
  );
});

test("says what else an option covers, and spells out a name that is too long for it", () => {
  expect(coverage([bash(["rm a"])])).toBe("");
  const limits = "Unknown options and paths outside the project are still asked about.";
  expect(coverage([bash(["npm test *"], "“npm test” with more")])).toBe(
    `“Always” also allows “npm test” with more. ${limits}`,
  );
  expect(coverage([bash(["a *", "b *"], "“a” with more", "“b” with more")])).toBe(
    `“Always” also allows “a” with more and “b” with more. ${limits}`,
  );
  const long = bash([`rm ${"a".repeat(200)}`]);
  expect(shortNames([long])).toBe("what is listed above");
  expect(coverage([long])).toBe(`“Always” allows “rm ${"a".repeat(200)}”.`);
});

test("“always” is not offered when it cannot cover every request", () => {
  expect(canRemember([bash(["npm test *"]), bash([])])).toBe(false);
  expect(coverage([bash(["npm test *"], "with more"), bash([])])).toBe("");
  expect(canRemember([])).toBe(false);
});
