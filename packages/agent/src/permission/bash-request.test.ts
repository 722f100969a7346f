import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJudge } from "@landline/shell";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultRules, exploreRules, planRules } from "../config/default-rules.ts";
import { bashRequest, UNREADABLE } from "./bash-request.ts";
import { judge } from "./judge.ts";
import { patternOf, type Policy, type Rule } from "./rule.ts";

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "landline-request-"));
  for (const name of ["a", "b", "src.ts"]) await writeFile(join(project, name), "x\n");
  await writeFile(join(project, ".env"), "KEY=1\n");
  await symlink("/", join(project, "linked"));
});
afterAll(() => rm(project, { recursive: true, force: true }));

async function requestFor(line: string) {
  const shell = await openJudge();
  const verdict = await shell.judge(line, { cwd: project, roots: [project] });
  return bashRequest(line, verdict, shell);
}

const policyOf = (...rules: Rule[]): Policy => ({ sources: [rules], defaults: defaultRules });
const rule = (pattern: string, action: Rule["action"]): Rule => ({
  permission: "bash",
  pattern,
  action,
});

async function judged(line: string, policy: Policy, approved: Rule[] = []) {
  return judge({ policy, approved, level: "ask" }, await requestFor(line));
}

describe("the requests of a line", () => {
  it.each([
    ["npm test", ["npm test"]],
    ["  npm   test ;", ["npm test"]],
    ["/bin/rm -rf x", ["rm -rf x"]],
    [`r""m 'x'`, ["rm x"]],
    ["npm test 2>&1 | tail -20", ["npm test", "tail -20"]],
    ["npm test > out.txt", ["npm test", "> out.txt"]],
    ["> out.txt", ["> out.txt"]],
    ["cd src && npm test", ["npm test"]],
    ["timeout 60 npm test", ["timeout 60 npm test", "npm test"]],
    ["echo $(npm test)", ["echo $(npm test)", "npm test"]],
    ["NODE_ENV=test npm test", ["NODE_ENV=test npm test"]],
  ])("%j requests each command, and each file that it writes", async (line, patterns) => {
    const request = await requestFor(line);
    expect(request.permission).toBe("bash");
    expect(new Set(request.patterns.map(patternOf))).toEqual(new Set(patterns));
  });

  it.each(["", "   ", "ls )", "if true; then", "ls 'open", "echo ${X@P}", "a > $X"])(
    "%j requests the whole line, because it cannot be parsed",
    async (line) => {
      const { patterns, always } = await requestFor(line);
      expect(patterns.map(patternOf)).toContain(UNREADABLE + line);
      expect(always).toEqual([]);
    },
  );

  it("explains why, and what only a person may allow", async () => {
    expect(await requestFor("npm test")).toMatchObject({
      because: ["npm test runs code of the project"],
    });
    // One clause for all effects of a command, so that every command is in the first few.
    expect(await requestFor("npm install a && npm test")).toMatchObject({
      because: [
        "npm install uses the network, changes files and runs code of the project",
        "npm test runs code of the project",
      ],
    });
    const { mustAsk, because, always } = await requestFor("cat .env");
    expect(mustAsk).toEqual([expect.stringContaining("may hold passwords or keys")]);
    expect(because).toEqual(mustAsk);
    expect(always).toEqual([]);
    expect((await requestFor("ls")).because).toEqual([]);
  });
});

describe("the rules that “always” offers", () => {
  it.each([
    ["npm test", ["npm test *"]],
    // Reading commands need no rule.
    ["npm test 2>&1 | tail -20", ["npm test *"]],
    ["timeout 60 npm test", ["npm test *"]],
    ["npm run build -- --watch", ["npm run build *"]],
    ["npm test > out.txt", ["npm test *", "> out.txt"]],
    ["rm a", ["rm a"]],
    ["touch a b", ["touch *"]],
    ["cp a c", ["cp a c"]],
    ["NODE_ENV=test npm test", ["NODE_ENV=test npm test"]],
  ])("for %j the narrowest useful form", async (line, always) => {
    expect((await requestFor(line)).always).toEqual(always);
  });

  it("describe what else they allow", async () => {
    expect((await requestFor("npm test")).alsoAllows).toEqual([
      "“npm test” with other arguments (runs code of the project)",
    ]);
    expect((await requestFor("rm a")).alsoAllows).toBeUndefined();
  });

  it.each([
    "node -e 1",
    "bash -c 'npm test'; unheard-of-program",
    "unheard-of-program",
    "npm test --unheard-of-option",
    "awk 'BEGIN { system(\"id\") }'",
    "rm $X",
    "$X rm",
    "cp .env b",
    "echo x > .git/config",
    "rm *",
    // It would end the quotes in the option's text.
    "rm 'a” and “b'",
  ])("none for %j", async (line) => {
    expect((await requestFor(line)).always).toEqual([]);
  });
});

/** Lines in which an allowed command precedes something else. */
const hiding = [
  "ls; rm a",
  "ls | sh",
  "ls > b",
  "X=1 ls",
  "ls\nrm a",
  "ls $(rm a)",
  "ls `rm a`",
  "ls <(rm a)",
  "echo ${X:-$(rm a)}",
  "find . -delete",
  "find . -exec rm {} +",
  "git log --output=b",
  "git -c core.pager=./evil log",
  "git grep -lO'touch b;' x",
  "printf -v 'a[$(rm b)]' x",
  "cat <<EOF\n$(rm a)\nEOF",
  "ls() { rm a; }; ls",
  "coproc rm a",
  "ls | xargs rm",
  "sudo rm a",
  "bash -c 'rm a'",
  "echo a | tee b",
  "cat ~root/.profile > /dev/null; rm a",
];

describe("a rule of the config", () => {
  it.each(hiding)("that allows plain commands does not allow %j", async (line) => {
    const plain = ["ls *", "echo *", "find *", "git log *", "cat *", "printf *", "git grep *"];
    const policy = policyOf(...plain.map((pattern) => rule(pattern, "allow")));
    expect(await judged(line, policy)).toBe("ask");
  });

  it.each([
    "rm a",
    "/usr/bin/rm a",
    "'rm' a",
    "ls; rm a",
    "ls $(rm a)",
    "sudo rm a",
    "nohup rm a",
    "bash -c 'rm a'",
    "eval 'rm a'",
    "X=1 env rm a",
    "find . -exec rm {} +",
    "f() { rm $1; }",
    "if a; then rm b; fi",
    "cat <<E\n`rm a`\nE",
    "rm $X",
    "ls | xargs rm",
    "timeout --unheard-of 5 rm a",
    "rm a; echo 'open",
  ])("that denies rm finds it in %j, even where everything is allowed", async (line) => {
    const policy = policyOf(
      { permission: "*", pattern: "*", action: "allow" },
      rule("rm *", "deny"),
    );
    const request = await requestFor(line);
    expect(judge({ policy, approved: [], level: "allow-all" }, request)).toBe("deny");
  });

  it.each([
    "git push",
    "git -C . push origin",
    "git --no-pager push",
    "git -c x.y=z push",
    "git --bare push",
    "git --work-tree . push",
    "A=b git push",
    "echo push | xargs git",
    "echo push | xargs -n 1 git -C x",
    "echo push | xargs -I X git X",
    "parallel git ::: push",
    "git submodule foreach git push",
    "valgrind git push",
    "rlwrap git push",
    "/opt/git/bin/git push",
    "//bin/git push",
    "bash -c 'git -C . push'",
    "git $X",
    "git -C . $X",
    "git pu${X}sh origin",
    "git {push,}",
  ])("that denies git push finds it in %j", async (line) => {
    const policy = policyOf(rule("*", "allow"), rule("git push *", "deny"));
    expect(await judged(line, policy)).toBe("deny");
  });

  it.each([
    "git log push",
    "ls | xargs git log",
    "ls | xargs wc",
    "git -C push log",
    "echo git push",
    "git status && echo $X",
    "npm $X",
  ])("that denies git push does not find it in %j", async (line) => {
    const policy = policyOf(rule("*", "allow"), rule("git push *", "deny"));
    expect(await judged(line, policy)).toBe("allow");
  });

  it.each(["$X push", "/bin/gi? push", "$(echo git) push", "`which git` push", "ls 'open"])(
    "that denies a command asks about %j, which may run it",
    async (line) => {
      const policy = policyOf(rule("*", "allow"), rule("git push *", "deny"));
      expect(await judged(line, policy)).toBe("ask");
      expect(await judged(line, policyOf(rule("git push *", "deny"), rule("*", "allow")))).toBe(
        "allow",
      );
    },
  );

  it("that allows everything allows lines that cannot be parsed, but no credential", async () => {
    const policy = policyOf(rule("*", "allow"));
    expect(await judged("$X rm", policy)).toBe("allow");
    expect(await judged("rm a", policy)).toBe("allow");
    expect(await judged("cat .env", policy)).toBe("ask");
    expect(await judged("echo x > .git/hooks/pre-commit", policy)).toBe("ask");
  });

  it.each([
    ["npm test *", "npm test", "allow"],
    ["npm test *", "npm test -- --watch", "allow"],
    ["npm test *", "npm test --prefix ..", "ask"],
    ["npm test *", "npm test --unheard-of", "ask"],
    ["npm test", "npm test", "allow"],
    ["npm test", "npm test -- x", "ask"],
    ["npm run test:*", "npm run test:unit", "allow"],
    ["npm run test:*", "npm run test:unit --prefix /tmp", "ask"],
    ["npm run test:*", "npm run deploy", "ask"],
    ["* test", "npm test", "allow"],
    ["npm *", "node -e 1", "ask"],
    ["unheard-of *", "unheard-of --any thing", "allow"],
    ["> build/*", "> build/a.txt", "allow"],
    ["> build/*", "> build/../src.ts", "ask"],
    ["> *", "npm test > a.txt", "ask"],
  ])("%j decides %j: %s", async (pattern, line, action) => {
    expect(await judged(line, policyOf(rule(pattern, "allow")))).toBe(action);
  });

  it("asks about commands that only read, where it says so", async () => {
    expect(await judged("cat a", policyOf(rule("cat *", "ask")))).toBe("ask");
    expect(await judged("cat a", policyOf(rule("*", "ask")))).toBe("ask");
    expect(await judged("ls", policyOf(rule("cat *", "ask")))).toBe("allow");
  });

  it.each(["timeout 5 ls", "nice ls", "env ls", "command ls", "bash -c ls"])(
    "denies or asks about the wrapper in %j",
    async (line) => {
      const [program] = line.split(" ");
      expect(await judged(line, policyOf(rule(`${program} *`, "deny")))).toBe("deny");
      expect(await judged(line, policyOf(rule(`${program} *`, "ask")))).toBe("ask");
      expect(await judged(line, policyOf(rule("rm *", "deny")))).toBe("allow");
    },
  );
});

describe("an approval", () => {
  it.each([
    ["npm test *", "npm test -- --watch", "allow"],
    ["npm test *", "npm test | tail -3", "allow"],
    ["npm test *", "npm test && npm run deploy", "ask"],
    ["npm test *", "npm test --prefix /tmp", "ask"],
    ["npm test *", "NODE_OPTIONS=--require=./x npm test", "ask"],
    ["npm test *", "npm test > a.txt", "ask"],
    // Decisions of earlier versions that said too much.
    ["awk *", "awk 'BEGIN { system(\"id\") }'", "ask"],
    ["sed *", "sed -n '1e id' a", "ask"],
    ["tar *", "tar --to-command=id -xf a.tar", "ask"],
  ])("of %j decides %j: %s", async (pattern, line, action) => {
    expect(await judged(line, policyOf(), [rule(pattern, "allow")])).toBe(action);
  });

  it("to refuse applies to reading commands too", async () => {
    expect(await judged("cat a", policyOf(), [rule("cat *", "deny")])).toBe("deny");
    expect(await judged("sudo cat a", policyOf(), [rule("cat *", "deny")])).toBe("deny");
  });
});

describe.each([
  ["plan", planRules],
  ["explore", exploreRules],
  ["build", []],
])("in %s", (_, rules) => {
  it.each([
    "ls -la",
    "cd . && ls *.ts",
    "git status; git diff --stat | head -20",
    "grep -n foo a 2>/dev/null | wc -l",
    "find . -name '*.ts' | head",
    "[ -f a ] && cat a",
    "timeout 5 git log -3",
    "echo $HOME",
  ])("%s runs without asking", async (line) => {
    expect(await judged(line, policyOf(...rules))).toBe("allow");
  });

  it.each([
    "npm test",
    "ls > a",
    "sed -i s/a/b/ c",
    "find . -delete",
    "find . -d''elete",
    "find . $X",
    "git -c core.pager=./evil log",
    "git log --output=a",
    "cat a | tee b",
    "ls; rm a",
    "echo $(rm a)",
    "sudo ls",
    "[ -v 'a[$(rm b)]' ] && ls",
    "find -L . -name x",
    "cat .env",
    "jq -n env",
    "env",
    "printenv",
  ])("%s needs permission", async (line) => {
    expect(await judged(line, policyOf(...rules))).toBe("ask");
  });
});

describe("a command that another command may run", () => {
  it.each(["npm test; sudo --other npm test", "sudo --other npm test; npm test"])(
    "needs permission in %s",
    async (line) => {
      expect(await judged(line, policyOf(rule("sudo *", "allow")))).toBe("ask");
    },
  );
});
