import { execFile } from "node:child_process";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { gitEnvironment } from "../../test/git-environment.ts";
import { pathsOf, summary, widened } from "../../test/line-summary.ts";
import { isReplaceable } from "../git/setting-risk.ts";
import { optionTable } from "../arguments/options.ts";
import { git } from "./git.ts";

describe("git commands that read", () => {
  it.each([
    "git",
    "git --version",
    "git --help",
    "git status -sb --porcelain=v2",
    "git log --oneline -5 --graph --all --decorate=short",
    "git log -n5 -p -U1 -M90% -C -w --word-diff=color",
    "git log -S foo -G bar --since='2 days ago' --author=a -L 1,3:src/a.ts",
    "git log --format='%h %an %(trailers:key=Co)' --date=iso",
    "git diff --cached -U5 --stat=80 -- src ':!dist'",
    "git diff --ignore-submodules=all main...topic",
    "git show HEAD~2:src/a.ts",
    "git grep -nIE 'a|b' -- '*.ts'",
    "git blame -L 1,3 -w -C -C src/a.ts",
    "git -c color.ui=always -c core.quotePath=off diff",
    "git -c core.pager=cat -c core.fsmonitor=false status",
    "git --no-pager -P log",
    "git branch -avv --sort=-committerdate --format='%(refname)'",
    "git branch --merged",
    "git branch --merged main",
    "git branch --list 'a*' 'b*'",
    "git tag -l 'v*' -n3 --sort=-v:refname",
    "git tag --contains HEAD",
    "git remote",
    "git remote -v",
    "git remote show -n origin",
    "git remote get-url --all origin",
    "git stash list --oneline",
    "git stash show -p stash@{1}",
    "git reflog show --date=iso -5",
    "git reflog -5 HEAD",
    "git config user.name",
    "git config get remote.origin.url",
    "git config --get-regexp '^branch\\.'",
    "git config --list --name-only",
    "git worktree list --porcelain",
    "git submodule status --recursive",
    "git submodule",
    "git notes list",
    "git notes show HEAD",
    "git bisect log",
    "git symbolic-ref --short HEAD",
    "git cat-file -p HEAD^{tree}",
    "git clean -nd",
    "git apply --check --stat fix.patch",
    "git hash-object README.md",
    "git rev-list --count HEAD --not origin/main",
    "git help -a",
    "git var GIT_EDITOR",
    "git sparse-checkout list",
    "git bundle verify x.bundle",
    "git fsck --no-dangling",
  ])("reads %s", (line) => {
    expect(summary(line).replace(/ deviation$/, "")).toBe("read-only");
  });

  it.each([
    ["git grep -lO'touch x;' a", "execute"],
    ["git grep -Ocmd a", "execute"],
    ["git grep --open-files-in-pager=cmd a", "execute"],
    ["git grep --open-files a", "unknown"],
    ["git grep --textconv a", "execute"],
    ["git diff --ext-diff", "execute"],
    ["git log --textconv -p", "execute"],
    ["git log --show-signature", "execute"],
    ["git log --format='%h %G?'", "execute"],
    ["git log --pretty=format:%GK", "execute"],
    ["git for-each-ref --format='%(signature)'", "execute"],
    ["git log --output=x", "write"],
    ["git diff --output x", "write"],
    ["git diff -U --output=x", "write"],
    ["git log --format --output=x", "write"],
    ["git log --outpu=x", "unknown"],
    ["git log --remerge-diff", "unknown"],
    ["git log --diff-merges=remerge", "unknown"],
    ["git log --stdin", "unknown"],
    ["git cat-file --textconv HEAD:a", "execute"],
    ["git cat-file --filters HEAD:a", "execute"],
    ["git -p log", "execute"],
    ["git -c core.fsmonitor=x status", "execute unknown deviation"],
    ["git -c alias.x='!touch y' x", "execute unknown deviation"],
    ["git -c diff.external=x diff", "execute unknown deviation"],
    ["git -c core.sshCommand=x fetch", "execute network write unknown deviation"],
    ["git --config-env=core.fsmonitor=X status", "unknown"],
    ["git --git-dir=x status", "unknown"],
    ["git --git-dir x status", "unknown"],
    ["git --work-tree=.. status", "unknown"],
    ["git --exec-path=. status", "execute deviation"],
    ["git --bare log", "unknown"],
    ["git --namespace=x log", "unknown"],
    ["git help log", "execute deviation"],
    ["git help -w log", "execute deviation"],
    ["git --help log", "execute"],
    ["git config --list", "unknown"],
    ["git config -l", "unknown"],
    ["git config --get http.extraheader", "unknown"],
    ["git config --get-regexp .", "unknown"],
    ["git config --get-regexp '^alias|token'", "unknown"],
    ["git var -l", "unknown"],
    ["git credential fill", "execute unknown"],
    ["git lg", "unknown"],
    ["git archive -o x.tar HEAD", "execute write"],
    ["git archive --format=tar HEAD", "execute"],
    ["git archive --format=tar.gz HEAD", "execute"],
    ["git archive --remote=host:x --exec=cmd HEAD", "execute network deviation"],
    ["git verify-commit HEAD", "execute unknown"],
    ["git fsck --lost-found", "write"],
    ["git difftool", "execute unknown"],
    ["git log $(x)", "unknown + unknown"],
  ])("asks about %s", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });
});

describe("git commands that change something", () => {
  it.each([
    ["git branch topic", "write"],
    ["git branch -v topic", "write"],
    ["git branch -D topic", "write deviation"],
    ["git branch --edit-description", "execute"],
    ["git tag v1", "write"],
    ["git tag -a v1", "execute write"],
    ["git tag -a v1 -m x", "write"],
    ["git tag -v v1", "execute write"],
    ["git remote add a b", "write"],
    ["git remote -v update", "network write"],
    ["git remote show origin", "network"],
    ["git stash", "write"],
    ["git stash -u -m wip", "write"],
    ["git stash drop", "delete"],
    ["git stash wip", "write unknown"],
    ["git reflog expire --all", "delete"],
    ["git config user.name Ada", "write"],
    ["git config core.fsmonitor x", "execute write"],
    ["git config alias.x '!y'", "execute write"],
    ["git config set core.hooksPath x", "execute write"],
    ["git config -e", "execute unknown"],
    ["git worktree add ../x", "project write"],
    ["git submodule foreach 'touch x'", "execute unknown"],
    ["git submodule update --init", "network project write"],
    ["git bisect start", "project write"],
    ["git bisect run make test", "execute project write + project"],
    ["git symbolic-ref HEAD refs/heads/x", "write"],
    ["git add .", "write"],
    ["git add -p", "execute write"],
    ["git commit -m x", "project write"],
    ["git commit", "execute project write"],
    ["git commit --amend --no-edit", "project write deviation"],
    ["git commit -n -m x", "project write deviation"],
    ["git rebase main", "project write"],
    ["git rebase -i main", "execute project write"],
    ["git rebase -x 'make' main", "execute project write deviation"],
    ["git rebase --exec=make main", "execute project write deviation"],
    ["git clean -fdx", "delete"],
    ["git rm -r dist", "delete write"],
    ["git rm -r --cached dist", "write"],
    ["git describe --dirty", "write"],
    ["git apply fix.patch", "write"],
    ["git filter-branch --tree-filter x", "execute unknown"],
    ["git init --template=x", "execute project write deviation"],
    ["git format-patch --stdout -1", "read-only"],
    ["git format-patch -1", "write"],
    ["git format-patch --stdout -1 --range-diff=--output=x", "unknown"],
  ])("asks about %s", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["git fetch", "network write"],
    ["git fetch origin main", "network write"],
    ["git fetch --upload-pack=x origin", "execute network write deviation"],
    ["git fetch --upload-pack x origin", "execute network write deviation"],
    ["git fetch 'ext::sh -c touch% x'", "execute network write deviation"],
    ["git fetch https://example.com/x", "network write deviation"],
    ["git fetch ../other", "network write deviation"],
    ["git fetch other", "network write deviation"],
    ["git fetch origin main:main", "network write deviation"],
    ["git fetch origin +main", "network write deviation"],
    ["git fetch -f origin", "network write deviation"],
    ["git fetch --refmap=+refs/heads/*:refs/heads/* origin", "network write deviation"],
    ["git fetch --multiple origin other", "network write deviation"],
    ["git ls-remote other", "network deviation"],
    ["git pull --rebase", "network project write"],
    ["git pull --ff-only origin", "network project write"],
    ["git pull --rebase=merges", "network project write"],
    ["git pull --rebase=interactive", "execute network project write deviation"],
    ["git pull other", "network project write deviation"],
    ["git pull origin main", "network project write deviation"],
    ["git pull -s ours", "network project write deviation"],
    ["git pull -s other", "execute network project write deviation"],
    ["git pull -X theirs", "network project write deviation"],
    ["git merge -s ours topic", "project write"],
    ["git merge -s other topic", "execute project write deviation"],
    ["git rebase --strategy=other main", "execute project write deviation"],
    ["git cherry-pick --strategy other topic", "execute project write deviation"],
    ["git push --force origin main", "network project deviation"],
    ["git push --receive-pack=x origin", "execute network project deviation"],
    ["git push --repo=ext::x", "execute network project deviation"],
    ["git clone https://example.com/x", "network write deviation"],
    ["git clone -u cmd host:x", "execute network write deviation"],
    ["git clone -c core.fsmonitor=x host:x", "execute network write deviation"],
    ["git clone --template=x host:x", "execute network project write deviation"],
    ["git clone ext::x", "execute network write deviation"],
    ["git clone ssh://-oProxyCommand=x/y", "network write unknown deviation"],
    ["git ls-remote origin", "network"],
    ["git ls-remote --upload-pack=x origin", "execute network deviation"],
    ["git send-email x", "execute network unknown"],
    ["git daemon", "execute network unknown"],
  ])("%s uses the network", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });
});

describe("the paths of git commands", () => {
  it.each([
    ["git diff HEAD~1 -- src", ["search HEAD~1", "search src"]],
    ["git diff /etc/passwd /dev/null", ["search /etc/passwd", "search /dev/null", "search ."]],
    ["git diff --no-index ../a b", ["search ../a", "search b", "search ."]],
    ["git log --oneline HEAD -- ../x", ["name HEAD", "name ../x"]],
    ["git show HEAD:docs/guide.md", ["read HEAD:docs/guide.md", "read docs/guide.md", "search ."]],
    ["git show HEAD:./guide.md", ["read HEAD:./guide.md", "read ./guide.md"]],
    ["git diff --relative", ["search ."]],
    ["git grep -- a", ["search ."]],
    ["git grep -- a HEAD -- src", ["search HEAD", "search src"]],
    ["git log -L 1,2:src/a.ts", ["search .", "read src/a.ts", "search ."]],
    ["git checkout -- .env", ["write .env"]],
    ["git fetch other", ["read other"]],
    ["git blame --contents ../x src/a.ts", ["read ../x", "read src/a.ts"]],
    ["git grep -f ../patterns", ["read ../patterns", "search ."]],
    ["git diff -O../order -- a", ["read ../order", "search a"]],
    ["git -C sub log", ["enter sub"]],
    ["git config -f ../x user.name", ["read ../x"]],
    ["git config --global user.name x", ["write ~/.gitconfig"]],
    ["git restore .vscode/tasks.json", ["write .vscode/tasks.json"]],
    ["git checkout HEAD .vscode/tasks.json", ["name HEAD", "write .vscode/tasks.json"]],
    ["git commit -F ../message", ["read ../message"]],
    ["git mv a b", ["delete a", "write b"]],
    ["git worktree add ../tree main", ["write ../tree"]],
    ["git clone ../other copy", ["write copy", "read ../other"]],
    ["git clone file:///srv/x copy", ["write copy", "read /srv/x"]],
  ])("%s names them", (line, paths) => {
    expect(pathsOf(line)).toEqual(paths);
  });
});

describe("rules about git commands", () => {
  it.each([
    ["git log --oneline", "git log"],
    ["git add src", "git add"],
    ["git commit -m x", "git commit"],
    ["git switch topic", "git switch"],
    ["git fetch origin", "git fetch"],
    ["git pull --rebase origin", "git pull"],
    ["git pull origin main", null],
    ["git pull other", null],
    ["git remote -v", "git remote"],
    ["git -C sub log", null],
    ["git -c color.ui=never log", null],
    ["git commit --no-verify -m x", null],
    ["git switch -f topic", null],
    ["git fetch https://example.com/x", null],
    ["git push", null],
    ["git reset --hard", null],
    ["git checkout main", null],
    ["git config user.name x", null],
    ["git rebase main", null],
  ])("%s may be widened to %s", (line, form) => {
    expect(widened(line)).toBe(form);
  });
});

describe("commands of the table", () => {
  it("are built into git, or an alias of their name is a risk", async () => {
    const { stdout } = await promisify(execFile)("git", ["--list-cmds=builtins"]);
    const builtIn = new Set(stdout.split("\n"));
    const names = Object.keys(git["git"]?.subcommands ?? {}).flatMap((key) => key.split("|"));
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !builtIn.has(name) && !isReplaceable(name))).toEqual([]);
  });
});

describe("options that take a value", () => {
  /** Commands that write where `--output` says. */
  const commands = ["log", "diff", "show", "diff-tree", "range-diff", "format-patch"];
  const starts: Readonly<Record<string, readonly string[]>> = {
    "diff-tree": ["HEAD"],
    "range-diff": ["HEAD..HEAD", "HEAD..HEAD"],
    "format-patch": ["--stdout", "-1"],
  };
  const run = promisify(execFile);

  it.each(commands)("of %s are those for which git takes the next word", async (command) => {
    const folder = await mkdtemp(join(tmpdir(), "landline-git-"));
    const options = { cwd: folder, env: gitEnvironment(folder) };
    try {
      await run("git", ["init", "--quiet"], options);
      await run("git", ["commit", "--quiet", "--allow-empty", "-m", "x"], options);
      const found = Object.entries(git["git"]?.subcommands ?? {}).find(([names]) =>
        names.split("|").includes(command),
      );
      const table = optionTable(found?.[1].options ?? "", false);
      const valued = [...table].flatMap(([name, { value }]) =>
        value === "required" ? [name] : [],
      );
      expect(valued.length).toBeGreaterThan(20);
      // Where git takes the next word for an option, this one writes a file.
      const written: string[] = [];
      for (const name of valued) {
        const file = `written-by${name}`;
        const words = [command, ...(starts[command] ?? []), name, `--output=${file}`];
        await run("git", words, options).catch(() => null);
        const isWritten = await access(join(folder, file)).then(
          () => true,
          () => false,
        );
        if (isWritten) written.push(name);
      }
      expect(written).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
