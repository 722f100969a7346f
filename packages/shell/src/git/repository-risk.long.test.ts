import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ordinaryProject, type Fixture } from "../../test/project-fixture.ts";
import { PlantedRepository } from "../../test/planted-repository.ts";
import { attacks } from "../../test/repository-attacks.ts";
import { harmlessEnvironment } from "../environment.ts";
import { openJudge } from "../verdict.ts";

let original: Fixture;
let at: PlantedRepository;

beforeAll(async () => {
  original = await ordinaryProject();
});

afterAll(async () => {
  await original[Symbol.asyncDispose]();
});

beforeEach(async () => {
  at = await PlantedRepository.copyOf(original);
});

afterEach(async () => {
  await at.remove();
});

describe.each(Object.entries(attacks))("a repository with %s", (_name, { plant, line }) => {
  it("runs its code, and needs permission", async () => {
    await plant(at);
    // The pager needs the terminal that script makes; the agent would run the command alone.
    expect(await at.isAllowed(line.replace(/^script .*/, "git log"))).toBe(false);
    await rm(at.ran, { force: true });
    await at.runLine(line, {});
    expect(await at.hasRun()).toBe(true);
  });
});

/** Lines that only read. Those that need no permission must run no code of the repository. */
const readingLines = [
  "git status",
  "git status -s -uall",
  "git diff",
  "git diff HEAD~2 --stat",
  "git diff --cached",
  "git log -p -3",
  "git log --oneline --graph --all",
  "git show HEAD~1",
  "git show HEAD:README.md",
  "git blame src/a.ts",
  "git grep -n export",
  "git grep export HEAD~1",
  "git ls-files -o --exclude-standard",
  "git describe --always",
  "git branch -avv",
  "git remote -v",
  "git stash list",
  "git submodule status",
  "git shortlog -sn HEAD",
  "git rev-parse HEAD",
  "git for-each-ref",
  "git check-ignore -v dist",
  "git cat-file -p HEAD:src/a.ts",
  "git config --get user.name",
  "git worktree list",
  "git reflog",
];

describe("lines without permission", () => {
  const settings: Readonly<Record<string, () => Promise<unknown>>> = {
    "alias.status": () => at.git("config", "alias.status", `!touch '${at.ran}'`),
    "core.sshCommand": () => at.git("config", "core.sshCommand", at.evil()),
    "core.editor": () => at.git("config", "core.editor", at.evil()),
    "credential.helper": () => at.git("config", "credential.helper", `!${at.evil()}`),
    "url.*.insteadOf with protocol.ext.allow": async () => {
      await at.git("config", "protocol.ext.allow", "always");
      await at.git("config", `url.ext::touch ${at.ran} .insteadOf`, "https://");
      await at.git("remote", "add", "origin", "https://example.com/x");
    },
    "mergetool.*.cmd": () => at.git("config", "mergetool.evil.cmd", at.evil()),
    "core.hooksPath without hooks that reading runs": async () => {
      await mkdir(join(at.project, ".husky/_"), { recursive: true });
      await at.writeScript(join(at.project, ".husky/_/pre-commit"));
      await at.git("config", "core.hooksPath", ".husky/_");
    },
    "blame.ignoreRevsFile": async () => {
      await writeFile(join(at.project, ".git-blame-ignore-revs"), "");
      await at.git("config", "blame.ignoreRevsFile", ".git-blame-ignore-revs");
    },
    "a submodule": () => at.embeddedSubmodule(),
    "settings of the user": async () => {
      const text = `[core]\n\tpager = delta\n\tfsmonitor = true\n[pull]\n\trebase = true\n[alias]\n\tst = status\n`;
      await writeFile(join(at.home, ".gitconfig"), text);
    },
  };

  it.each(Object.entries(settings))("run no code in a repository with %s", async (_name, plant) => {
    await plant();
    const asked: string[] = [];
    for (const line of readingLines) if (!(await at.isAllowed(line))) asked.push(line);
    expect(asked).toEqual([]);
    await at.runLine(readingLines.join("\n"), harmlessEnvironment);
    expect(await at.hasRun()).toBe(false);
  });

  it("are allowed in a linked working tree and in a repository with long hashes", async () => {
    const tree = join(at.project, "tree");
    await at.git("worktree", "add", "--quiet", tree);
    expect(await at.isAllowed("cd tree && git status")).toBe(true);
    await at.git("config", "extensions.worktreeConfig", "true");
    await at.gitIn(tree, "config", "--worktree", "core.worktree", at.outside);
    expect(await at.isAllowed("cd tree && git status")).toBe(false);
    await at.gitIn(tree, "config", "--worktree", "--unset", "core.worktree");
    expect(await at.isAllowed("cd tree && git status")).toBe(true);
    await writeFile(join(tree, ".git"), "gitdir: ../.git\n");
    expect(await at.isAllowed("cd tree && git status")).toBe(false);
    await mkdir(join(at.project, "long"));
    await at.gitIn(join(at.project, "long"), "init", "--quiet", "--object-format=sha256");
    expect(await at.isAllowed("cd long && git status")).toBe(true);
  });
});

/** These need permission too, but a rule or a change after the verdict may allow them. */
describe("harmlessEnvironment", () => {
  it.each([
    "core.fsmonitor",
    "core.pager",
    "pager.*",
    "gpg.program with log.showSignature",
    "the hook post-index-change",
    "core.hooksPath",
    "a submodule with core.fsmonitor",
    "a repository without .git",
    "a repository that shares the parts of another",
    "the repository above an empty .git",
    "an object that is missing in a partial clone",
  ])("keeps %s from running", async (name) => {
    const attack = attacks[name];
    await attack?.plant(at);
    await rm(at.ran, { force: true });
    await at.runLine(attack?.line ?? "", harmlessEnvironment);
    expect(await at.hasRun()).toBe(false);
  });
});

/** Settings that make reading commands read files outside the project. */
describe("a repository that leads outside the project", () => {
  const plants: Readonly<Record<string, () => Promise<unknown>>> = {
    "core.worktree": () => at.git("config", "core.worktree", at.outside),
    "core.excludesFile": () =>
      at.git("config", "core.excludesFile", join(at.outside, "secret.txt")),
    "core.attributesFile": () => at.git("config", "core.attributesFile", "~/attributes"),
    "mailmap.file": () => at.git("config", "mailmap.file", "../outside/secret.txt"),
    "blame.ignoreRevsFile through a link": async () => {
      await symlink(join(at.outside, "secret.txt"), join(at.project, "revs"));
      await at.git("config", "blame.ignoreRevsFile", "revs");
    },
    "blame.ignoreRevsFile that is a credential": () =>
      at.git("config", "blame.ignoreRevsFile", ".env"),
    "core.attributesFile through a link to a credential": async () => {
      await symlink(".env", join(at.project, "attributes"));
      await at.git("config", "core.attributesFile", "attributes");
    },
    "objects of another repository": async () => {
      await mkdir(join(at.project, ".git/objects/info"), { recursive: true });
      await writeFile(join(at.project, ".git/objects/info/alternates"), "/elsewhere/objects\n");
    },
    "a link to objects": async () => {
      await rename(join(at.project, ".git/objects"), join(at.outside, "objects"));
      await symlink(join(at.outside, "objects"), join(at.project, ".git/objects"));
    },
    "a link to packs of objects": async () => {
      await rm(join(at.project, ".git/objects/pack"), { recursive: true, force: true });
      await symlink(at.outside, join(at.project, ".git/objects/pack"));
    },
    "a link that git bisect log shows": () =>
      symlink(join(at.outside, "secret.txt"), join(at.project, ".git/BISECT_LOG")),
    "a link to a credential of the project": () =>
      symlink("../.env", join(at.project, ".git/BISECT_LOG")),
    "a link that git status shows": async () => {
      await mkdir(join(at.project, ".git/rebase-merge"));
      const todo = join(at.project, ".git/rebase-merge/git-rebase-todo");
      await symlink(join(at.outside, "secret.txt"), todo);
    },
    "a link that git sparse-checkout list shows": async () => {
      await mkdir(join(at.project, ".git/info"), { recursive: true });
      const patterns = join(at.project, ".git/info/sparse-checkout");
      await symlink(join(at.outside, "secret.txt"), patterns);
    },
    "a link that git worktree list shows": async () => {
      await at.git("worktree", "add", "--quiet", "--detach", "tree");
      await symlink("../../../.env", join(at.project, ".git/worktrees/tree/locked"));
    },
    "a link that git remote get-url shows": async () => {
      await mkdir(join(at.project, ".git/branches"), { recursive: true });
      await symlink("../../.env", join(at.project, ".git/branches/x"));
    },
    "a link that git reflog shows": async () => {
      await rm(join(at.project, ".git/logs/HEAD"), { force: true });
      await symlink(join(at.outside, "secret.txt"), join(at.project, ".git/logs/HEAD"));
    },
    "the parts of another repository": async () => {
      await at.git("clone", "--quiet", "--bare", ".", join(at.outside, "other.git"));
      await writeFile(join(at.project, ".git/commondir"), `${join(at.outside, "other.git")}\n`);
    },
    "the parts of another repository, through a file .git": async () => {
      await at.git("clone", "--quiet", "--bare", ".", join(at.outside, "other.git"));
      await rename(join(at.project, ".git"), join(at.project, "own"));
      await writeFile(join(at.project, ".git"), "gitdir: own\n");
      await writeFile(join(at.project, "own/gitdir"), `${join(at.project, ".git")}\n`);
      await writeFile(join(at.project, "own/commondir"), `${join(at.outside, "other.git")}\n`);
    },
    "uploadpack.packObjectsHook": () => at.git("config", "uploadpack.packObjectsHook", "x"),
    "core.alternateRefsCommand": () => at.git("config", "core.alternateRefsCommand", "x"),
    "merge.*.driver": () => at.git("config", "merge.evil.driver", "x"),
    "trace2.eventTarget": () => at.git("config", "trace2.eventTarget", "/tmp/x"),
    "remote.*.vcs": () => at.git("config", "remote.origin.vcs", "x"),
    "an unknown setting": () => at.git("config", "core.unknownKey", "x"),
    "alias.whatchanged": () => at.git("config", "alias.whatchanged", "!x"),
    "alias.lfs": () => at.git("config", "alias.lfs", "!x"),
    "alias.submodule": () => at.git("config", "alias.submodule", "!x"),
    "alias.LFS.command": () => at.git("config", "alias.LFS.command", "!x"),
    "a HEAD that is a pipe": async () => {
      await rm(join(at.project, ".git/HEAD"));
      await at.runLine("mkfifo .git/HEAD", {});
    },
    "settings that cannot be parsed": () => at.writeConfig("[core\n"),
  };

  it("needs no permission with links that stay inside", async () => {
    await mkdir(join(at.project, "scripts/hooks"), { recursive: true });
    await symlink("../scripts/hooks", join(at.project, ".git/hooks"));
    expect(await at.isAllowed("git diff")).toBe(true);
  });

  it.each(Object.entries(plants))("needs permission for %s", async (_name, plant) => {
    expect(await at.isAllowed("git diff")).toBe(true);
    await plant();
    expect(await at.isAllowed("git diff")).toBe(false);
  });
});

describe("a project that is a folder of a repository", () => {
  async function codes(line: string): Promise<string[]> {
    const project = join(at.project, "src");
    const judge = await openJudge(at.home);
    const { reasons } = await judge.judge(line, { cwd: project, roots: [project], home: at.home });
    return reasons.map(({ code }) => code);
  }

  it.each([
    "git diff",
    "git diff HEAD~1",
    "git diff -- ':/'",
    "git log -p",
    "git show",
    "git show HEAD~1",
    "git show HEAD:README.md",
    "git cat-file -p HEAD:README.md",
    "git grep export -- ':(top)'",
    "git stash show -p",
    "git archive HEAD",
    "git show HEAD:../README.md",
    "git diff -- ../docs",
  ])("%s shows files outside it", async (line) => {
    expect(await codes(line)).toContain("outside");
  });

  it.each([
    "git status",
    "git log --oneline",
    "git log --stat",
    "git diff --name-only",
    "git diff -- .",
    "git diff --relative",
    "git diff HEAD~1 -- a.ts",
    "git log -p -- .",
    "git show HEAD:./a.ts",
    "git grep export",
    "git grep export HEAD~1",
    "git blame a.ts",
  ])("%s shows none", async (line) => {
    expect(await codes(line)).toEqual([]);
  });
});

describe("variables in the line", () => {
  it.each([
    "GIT_EXTERNAL_DIFF=x git diff",
    "GIT_PAGER=x git log",
    "GIT_DIR=../outside git log",
    "GIT_WORK_TREE=.. git diff",
    "GIT_SSH_COMMAND=x git log",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=x git status",
    "GIT_CONFIG_GLOBAL=x git status",
    "GIT_EXEC_PATH=. git status",
    "GIT_TRACE=/tmp/x git status",
    "env GIT_EXTERNAL_DIFF=x git diff",
    "export GIT_EXTERNAL_DIFF=x; git diff",
  ])("%s needs permission", async (line) => {
    expect(await at.isAllowed(line)).toBe(false);
  });
});
