import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileProject, ordinaryProject, type Fixture } from "../../test/project-fixture.ts";
import { PlantedRepository } from "../../test/planted-repository.ts";
import { openJudge } from "../verdict.ts";

/** Tracks `.env`, `.npmrc`, `config/server.key` and `notes/id_rsa`. */
let hostile: Fixture;
let ordinary: Fixture;

beforeAll(async () => {
  hostile = await hostileProject();
  ordinary = await ordinaryProject();
});

afterAll(async () => {
  await hostile[Symbol.asyncDispose]();
  await ordinary[Symbol.asyncDispose]();
});

async function codes(
  line: string,
  { project, home }: Pick<Fixture, "project" | "home">,
): Promise<string[]> {
  const judge = await openJudge(home);
  const { reasons } = await judge.judge(line, { cwd: project, roots: [project], home });
  return reasons.map(({ code }) => code);
}

describe("contents of tracked files", () => {
  it.each([
    "git grep KEY",
    "git grep -l KEY HEAD",
    "git grep KEY -- .env",
    "git grep KEY -- '.e*'",
    "git grep KEY -- '*v'",
    "git grep KEY -- '.en\\v'",
    "git grep KEY -- ':(icase).ENV'",
    "git grep KEY -- '.[[:alpha:]]nv'",
    "git --icase-pathspecs grep KEY -- NOTES",
    "git grep -- KEY",
    "git grep -- KEY HEAD",
    "git grep -- KEY -- .env",
    "git grep KEY -- ':/'",
    "git grep KEY -- ':!src'",
    "git grep --untracked KEY",
    "git grep --no-index KEY",
    "git grep --no-index KEY -- config",
    "git diff --no-index -- /dev/null config",
    "cd src && git grep KEY :/",
    "git show :/Start",
    "git diff",
    "git diff HEAD -- .env",
    "git diff .env",
    "git diff HEAD:.env HEAD:README.md",
    "git diff HEAD:.env..HEAD:README.md",
    "git show HEAD:.env",
    "git show HEAD:./config/server.key",
    "git show :.env",
    "git show :0:.env",
    "git show HEAD",
    "git show --stat 1234abcd",
    "git cat-file -p HEAD:.env",
    "git cat-file blob 1234abcd",
    "git cat-file --batch",
    "git log -p",
    "git log -L1,5:.env",
    "git blame .env",
    "git annotate .env",
    "git stash show -p",
    "git archive HEAD",
    "git status -vv",
    "git diff-tree -p HEAD",
    "git format-patch --stdout HEAD",
    "git add .env",
  ])("%s may show a credential", async (line) => {
    expect(await codes(line, hostile)).toContain("credential");
  });

  it.each([
    "git status",
    "git log --oneline",
    "git log --stat",
    "git diff --stat",
    "git diff --name-only",
    "git diff -- src",
    "git diff HEAD -- src docs",
    "git grep export -- src",
    "git grep export -- '*.ts'",
    "git grep -- export -- src",
    "git show HEAD:README.md",
    "git show --stat HEAD",
    "git cat-file -t HEAD:.env",
    "git ls-files -s",
    "git blame src/a.ts",
    "git log -p -- docs",
  ])("%s shows none", async (line) => {
    expect(await codes(line, hostile)).toEqual([]);
  });

  it.each(["git grep KEY", "git diff", "git show HEAD", "git log -p"])(
    "%s shows no credential in an ordinary project",
    async (line) => {
      expect(await codes(line, ordinary)).toEqual([]);
    },
  );
});

describe("a credential that was removed from the repository", () => {
  let removed: PlantedRepository;

  beforeAll(async () => {
    removed = await PlantedRepository.copyOf(ordinary);
    await writeFile(join(removed.project, ".env"), "API_KEY=not-a-real-key\n");
    await removed.git("add", ".env");
    await removed.git("commit", "--quiet", "--message", "Add a credential");
    await removed.git("rm", "--quiet", ".env");
    await removed.git("commit", "--quiet", "--message", "Remove it");
  });

  afterAll(() => removed.remove());

  it.each([
    "git show HEAD~1:.env",
    "git show HEAD~1:./.env",
    "git cat-file -p HEAD~1:.env",
    "git show HEAD~1 -- .env",
    "git show HEAD~1 -- ':(top).env'",
    "git show HEAD~1 -- ':/.env'",
    "git log -p -- .env",
    "git log -L1,1:.env HEAD~1",
    "git log -L :KEY:.env HEAD~1",
    "git diff HEAD~1 -- .env",
    "git diff HEAD~1:.env HEAD:README.md",
    "git grep KEY HEAD~1 -- .env",
    "git grep KEY HEAD~1:.env",
    "git blame HEAD~1 -- .env",
    "git archive HEAD~1 .env",
    "git checkout HEAD~1 .env",
    "git checkout HEAD~1 -- .env",
    "git checkout -- .env",
    "git restore -s HEAD~1 .env",
    "git restore --source=HEAD~1 -- .env",
  ])("needs permission where %s names it", async (line) => {
    expect(await codes(line, removed)).toContain("credential");
  });

  it("needs permission where object names come from the input", async () => {
    expect(await codes("echo HEAD~1:.env | git cat-file --batch", removed)).toContain("unknown");
    expect(await codes("git cat-file --batch-command", removed)).toContain("unknown");
  });

  // See "What is not covered" in docs/decisions/0022-one-command-analysis.md.
  it.each(["git log -p", "git show HEAD~1", "git diff HEAD~1"])(
    "is not searched for where %s shows everything",
    async (line) => {
      expect(await codes(line, removed)).toEqual([]);
    },
  );
});
