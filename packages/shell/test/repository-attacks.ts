import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlantedRepository } from "./planted-repository.ts";

export interface Attack {
  readonly plant: (at: PlantedRepository) => Promise<unknown>;
  /** A line that runs what was planted when nobody looks. */
  readonly line: string;
}

/** What a repository can bring that runs when somebody looks at it. */
export const attacks: Readonly<Record<string, Attack>> = {
  "core.fsmonitor": {
    plant: (at) => at.git("config", "core.fsmonitor", at.evil()),
    line: "git status",
  },
  "a setting on the line of its section": {
    plant: (at) => at.writeConfig(`[core]fsmonitor = "${at.evil()}"\n`),
    line: "git status",
  },
  "include.path": {
    plant: async (at) => {
      await writeFile(join(at.project, "more"), `[core]\nfsmonitor = "${at.evil()}"\n`);
      await at.git("config", "include.path", "../more");
    },
    line: "git status",
  },
  "includeIf.path": {
    plant: async (at) => {
      await writeFile(join(at.project, "more"), `[core]\nfsmonitor = "${at.evil()}"\n`);
      await at.git("config", "includeIf.gitdir:/.path", "../more");
    },
    line: "git status",
  },
  "config.worktree": {
    plant: async (at) => {
      await at.git("config", "extensions.worktreeConfig", "true");
      await at.git("config", "--worktree", "core.fsmonitor", at.evil());
    },
    line: "git status",
  },
  "diff.external": {
    plant: (at) => at.git("config", "diff.external", at.evil()),
    line: "git diff",
  },
  "diff.*.command": {
    plant: async (at) => {
      await at.attributes("*.ts diff=evil");
      await at.git("config", "diff.evil.command", at.evil());
    },
    line: "git diff",
  },
  "diff.*.textconv": {
    plant: async (at) => {
      await at.attributes("*.ts diff=evil");
      await at.git("config", "diff.evil.textconv", at.evil());
    },
    line: "git show HEAD~1",
  },
  "filter.*.clean": {
    plant: async (at) => {
      await at.attributes("*.ts filter=evil");
      await at.git("config", "filter.evil.clean", at.evil());
      await at.touchFile();
    },
    line: "git status",
  },
  "filter.*.process": {
    plant: async (at) => {
      await at.attributes("*.ts filter=evil");
      await at.git("config", "filter.evil.process", at.evil());
      await at.touchFile();
    },
    line: "git diff --stat",
  },
  "core.pager": {
    plant: (at) => at.git("config", "core.pager", at.evil()),
    line: "script -qec 'git log' /dev/null",
  },
  "pager.*": {
    plant: (at) => at.git("config", "pager.log", at.evil()),
    line: "script -qec 'git log' /dev/null",
  },
  "gpg.program with log.showSignature": {
    plant: async (at) => {
      await at.signedHead();
      await at.writeScript(join(at.project, "gpg"));
      await at.git("config", "gpg.program", join(at.project, "gpg"));
      await at.git("config", "log.showSignature", "true");
    },
    line: "git log -1",
  },
  "format.pretty with gpg.program": {
    plant: async (at) => {
      await at.signedHead();
      await at.writeScript(join(at.project, "gpg"));
      await at.git("config", "gpg.program", join(at.project, "gpg"));
      await at.git("config", "format.pretty", "%G?");
    },
    line: "git log -1",
  },
  "the hook post-index-change": {
    plant: async (at) => {
      await mkdir(join(at.project, ".git/hooks"), { recursive: true });
      await at.writeScript(join(at.project, ".git/hooks/post-index-change"));
      await at.age("README.md");
    },
    line: "git status",
  },
  "core.hooksPath": {
    plant: async (at) => {
      await mkdir(join(at.project, "hooks"));
      await at.writeScript(join(at.project, "hooks/post-index-change"));
      await at.git("config", "core.hooksPath", "hooks");
      await at.age("README.md");
    },
    line: "git status",
  },
  "a submodule with core.fsmonitor": {
    plant: async (at) => {
      await at.embeddedSubmodule();
      await at.git("-C", "sub", "config", "core.fsmonitor", at.evil());
    },
    line: "git status",
  },
  "a submodule with a filter, whose repository is below .git/modules": {
    plant: async (at) => {
      await at.embeddedSubmodule();
      await writeFile(
        join(at.project, ".gitmodules"),
        '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n',
      );
      await at.git("submodule", "absorbgitdirs");
      await writeFile(join(at.project, "sub/.gitattributes"), "*.ts filter=evil\n");
      await at.git("-C", "sub", "config", "filter.evil.clean", at.evil());
    },
    line: "git diff",
  },
  "a file .git that names another repository": {
    plant: async (at) => {
      await at.bareRepository(join(at.outside, "evil.git"));
      await rename(join(at.project, ".git"), join(at.outside, "old.git"));
      await writeFile(join(at.project, ".git"), "gitdir: ../outside/evil.git\n");
    },
    line: "git status",
  },
  "a link .git": {
    plant: async (at) => {
      await at.git("config", "core.fsmonitor", at.evil());
      await rename(join(at.project, ".git"), join(at.outside, "old.git"));
      await symlink(join(at.outside, "old.git"), join(at.project, ".git"));
    },
    line: "git status",
  },
  "a repository without .git": {
    plant: (at) => at.bareRepository(join(at.project, "embedded.git")),
    line: "cd embedded.git && git status",
  },
  "a repository that shares the parts of another": {
    plant: async (at) => {
      await at.bareRepository(join(at.project, "embedded.git"));
      await mkdir(join(at.project, "part"));
      await writeFile(join(at.project, "part/HEAD"), "ref: refs/heads/main\n");
      await writeFile(join(at.project, "part/commondir"), "../embedded.git\n");
    },
    line: "cd part && git diff HEAD~1 HEAD",
  },
  "the repository above an empty .git": {
    plant: async (at) => {
      await at.git("config", "core.fsmonitor", at.evil());
      await mkdir(join(at.project, "src/.git"));
    },
    line: "cd src && git status",
  },
  "an object that is missing in a partial clone": {
    plant: (at) => at.partialClone(),
    line: "git show HEAD:README.md",
  },
  "an alias": {
    plant: (at) => at.git("config", "alias.st", `!touch '${at.ran}'`),
    line: "git st",
  },
};
