import { describe, expect, it } from "vitest";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";

describe("programs for forges and other version control", () => {
  it.each([
    ["gh --version", "read-only"],
    ["gh pr view 12 --json title,body", "network"],
    ["gh pr list -s open -L 5", "network"],
    ["gh pr view 12 --web", "execute network"],
    ["gh pr view https://example.com/o/r/pull/1", "network deviation"],
    ["gh pr list -R other/repo", "network deviation"],
    ["gh pr list --json a --jq 'env'", "network unknown"],
    ["gh pr create --fill", "network"],
    ["gh pr create --editor", "execute network"],
    ["gh pr checkout 12", "network project write"],
    ["gh run list --limit 5", "network"],
    ["gh run view 1 --log-failed", "network"],
    ["gh api repos/o/r/pulls", "network"],
    ["gh auth token", "environment"],
    ["gh auth status --show-token", "environment network"],
    ["gh alias set x '!touch y'", "execute network unknown"],
    ["gh extension exec x", "execute network unknown"],
    ["gh browse", "execute network unknown"],
    ["gh frobnicate", "unknown"],
    ["glab mr list", "network"],
    ["glab mr view 1 --web", "execute network"],
    ["glab alias set x y", "execute write unknown"],
    ["hg status", "project"],
    ["hg --config hooks.pre-status=x status", "execute project deviation"],
    ["hg commit -m x", "project write unknown"],
    ["hg pull", "network project write unknown"],
    ["svn status", "write"],
    ["svn status -u", "network write"],
    ["svn info", "write"],
    ["svn info https://example.com/x", "network write"],
    ["svn diff", "write"],
    ["svn diff -r BASE", "write"],
    ["svn diff -r 5", "network write"],
    ["svn diff --diff-cmd x", "execute write deviation"],
    ["svn --config-option config:helpers:diff-cmd=x diff", "execute write deviation"],
    ["svn log", "network unknown"],
    ["svn commit -m x", "network write unknown"],
    ["jj status", "project write"],
    ["jj log --config ui.pager=x", "execute project write deviation"],
    ["jj git push", "network project write unknown"],
    ["git lfs ls-files", "write"],
    ["git-lfs env", "environment"],
    ["git lfs pull", "network write"],
    ["git lfs install", "execute write unknown"],
  ])("reads %s", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["gh pr view 12", "gh pr view"],
    ["gh run list", "gh run list"],
    ["gh pr view 12 -R other/repo", null],
    ["gh pr create --fill", null],
    ["gh api repos/o/r/pulls", null],
    ["hg log", "hg log"],
    ["jj log", null],
  ])("%s may be widened to %s", (line, form) => {
    expect(widened(line)).toBe(form);
  });

  it("finds files that are sent", () => {
    expect(pathsOf("gh api x -F body=@../secret")).toEqual(["read ../secret"]);
    expect(pathsOf("gh pr create -F ../body")).toEqual(["read ../body"]);
  });
});
