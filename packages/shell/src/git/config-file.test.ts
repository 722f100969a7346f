import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { gitEnvironment } from "../../test/git-environment.ts";
import { parseGitConfig, settingNamed } from "./config-file.ts";

const names = (text: string) =>
  parseGitConfig(text)?.map(
    ({ section, subsection, key, value }) =>
      `${section}${subsection === null ? "" : `[${subsection}]`}.${key}=${value ?? "(true)"}`,
  ) ?? null;

/** The same from git; null when it refuses the file. */
function namesByGit(text: string): string[] | null {
  const args = ["config", "--file", "-", "--list", "--null"];
  const env = gitEnvironment("/nonexistent");
  const { status, stdout } = spawnSync("git", args, { input: text, encoding: "utf8", env });
  if (status !== 0) return null;
  return stdout
    .split("\0")
    .slice(0, -1)
    .map((entry) => {
      const [name = "", value] = entry.split(/\n(.*)/su);
      const setting = settingNamed(name, null);
      const subsection = setting?.subsection ?? null;
      return `${setting?.section}${subsection === null ? "" : `[${subsection}]`}.${setting?.key}=${value ?? "(true)"}`;
    });
}

describe("parseGitConfig", () => {
  it.each([
    ["", []],
    ["[core]\n\tbare = false\n", ["core.bare=false"]],
    ["[core]bare=false", ["core.bare=false"]],
    ["[Core] FSMonitor = x", ["core.fsmonitor=x"]],
    ["[a]\n[core]fsmonitor=x", ["core.fsmonitor=x"]],
    ["[a][core]fsmonitor=x", ["core.fsmonitor=x"]],
    ["[core]\r\nfsmonitor = x\r\n", ["core.fsmonitor=x"]],
    ["\uFEFF[core]\nbare", ["core.bare=(true)"]],
    ['[remote "or\\"igin"]\nurl = x', ['remote[or"igin].url=x']],
    ["[remote.Origin]\nurl = x", ["remote[origin].url=x"]],
    ["[core]\nx = a  b \t ; comment\n", ["core.x=a  b"]],
    ['[core]\nx = "a ; b " # c\n', ["core.x=a ; b "]],
    ["[core]\nx = a \\\n  fsmonitor = y\n", ["core.x=a   fsmonitor = y"]],
    ['[core]\nx = a\\tb\\n\\"\n', ['core.x=a\tb\n"']],
    ["# [core]\n; fsmonitor = x\n[core]\n", []],
    ["[core]\n# text \\\nfsmonitor = x", ["core.fsmonitor=x"]],
  ])("reads %j", (text, settings) => {
    expect(names(text)).toEqual(settings);
    expect(namesByGit(text)).toEqual(settings);
  });

  it.each([
    "[core\nfsmonitor = x",
    "[core]\nfsmonitor x",
    "[core]\n= x",
    '[core]\nx = "open\n',
    "[core]\nx = a\\q\n",
    '[core "x]\ny = z',
    "[co re]\nx = y",
    "[core]\n5x = y",
    "[core]\nbare # a comment",
  ])("rejects %j", (text) => {
    expect(parseGitConfig(text)).toBeNull();
    expect(namesByGit(text)).toBeNull();
  });
});

describe("a setting without a section", () => {
  it("is rejected, although git accepts it", () => {
    expect(parseGitConfig("fsmonitor = x")).toBeNull();
  });
});

describe("settingNamed", () => {
  it("splits at the first and the last dot", () => {
    expect(settingNamed("URL.https://a.b/.insteadOf", "x")).toEqual({
      section: "url",
      subsection: "https://a.b/",
      key: "insteadof",
      value: "x",
    });
    expect(settingNamed("core.pager", null)).toEqual({
      section: "core",
      subsection: null,
      key: "pager",
      value: null,
    });
    expect(settingNamed("pager", null)).toBeNull();
  });
});
