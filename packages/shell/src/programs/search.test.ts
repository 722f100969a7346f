import { mkdir, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, hostileProject, ordinaryProject } from "../../test/project-fixture.ts";
import { pathsOf, summary } from "../../test/line-summary.ts";
import { type Judge, openJudge } from "../verdict.ts";

describe("programs that search", () => {
  it.each([
    ["grep -n foo src/a.ts", "read-only"],
    ["grep -rnE 'a|b' --include='*.ts' src", "read-only"],
    ["grep -e a -e b -rn src", "read-only"],
    ["grep -F -- --watch package.json", "read-only"],
    ["grep -A3 -B 3 -C2 -5 foo a", "read-only"],
    ["grep --color=always --context foo a", "read-only"],
    ["grep --recurs foo a", "unknown"],
    ["grep --inc='*.ts' foo a", "unknown"],
    ["zgrep -n foo a.gz", "execute"],
    ["zgrep foo *.gz", "execute"],
    ["zgrep -f patterns a.gz", "execute unknown"],
    ["rg foo", "read-only"],
    ["rg -uuu --hidden -g '!.git' -tts -C3 foo src", "read-only"],
    ["rg --pre ./x foo", "execute deviation"],
    ["rg --pre=./x foo", "execute deviation"],
    ["rg --hostname-bin=./x foo", "execute deviation"],
    ["rg -z foo", "execute"],
    ["rg -nz foo", "execute"],
    ["rg --search-zip foo", "execute"],
    ["rg --pr ./x foo", "unknown"],
    ["rg -- --pre foo", "read-only"],
    ["rg --generate man", "unknown"],
    ["ag -u foo", "read-only"],
    ["ag --pager ./x foo", "execute deviation"],
    ["ag -A 3 foo src", "read-only"],
    ["ag -A foo src", "unknown"],
    ["ack --noenv -C 3 foo", "unknown"],
    ["ack --noenv foo", "read-only"],
    ["ack foo", "project"],
    ["ack --noenv --output='$x' foo", "execute deviation"],
    ["ack --noenv --pager=./x foo", "execute deviation"],
    ["locate foo", "read-only"],
  ])("reads %s", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["find . -name '*.ts' -not -path './node_modules/*'", "read-only"],
    ["find -H src test \\( -name a -o -iname b \\) ! -newer c -print0", "read-only"],
    ["find . -newermt yesterday -printf '%p'", "read-only"],
    ["find . -delete", "delete unknown"],
    ["find . -name x -o -delete", "delete unknown"],
    ["find . -fprint out", "write"],
    ["find . -fprintf out %p", "write"],
    ["find . -fls out", "write"],
    ["find . -files0-from names", "unknown"],
    ["find -D exec .", "unknown"],
    ["find . -name", "unknown"],
    ["find . -frobnicate", "unknown"],
    ["find . \\( -name a", "unknown"],
    ["find . -name a \\)", "unknown"],
    ["find . -name a -o", "unknown"],
    ["find . -nam a", "unknown"],
    ["find . -exec cat {} +", "read-only + read-only"],
    ["find . -exec cat {} \\;", "read-only + read-only"],
    ["find . -exec cat", "unknown"],
    ["find . -exec cat {} + -delete", "delete unknown"],
    ["find . -exec rm {} +", "read-only + delete unknown"],
    ["find . -exec sed -i p {} +", "read-only + write unknown"],
    ["find . -exec ls {} + -exec rm -f {} \\;", "read-only + read-only + delete unknown"],
    ["find . -exec sh -c 'rm {}' \\;", "read-only + unknown"],
    ["find . -exec sh -c 'cat \"$1\"' _ {} \\;", "read-only + unknown"],
    ["find . -exec {} \\;", "execute unknown"],
    ["find . -exec cat {}.bak \\;", "read-only + unknown"],
    ["find . -exec cat ../{} \\;", "read-only + unknown"],
    ["find . -exec echo 'found {}' \\;", "read-only + read-only"],
    ["find . -exec git -C {} status \\;", "read-only + unknown"],
    ["find . -execdir cat {} +", "execute + read-only"],
    ["find . -okdir rm {} \\;", "execute + delete unknown"],
    ["find . -ok rm {} \\;", "read-only + delete unknown"],
    ["find . -exec env FOO=1 cat {} \\;", "read-only + unknown"],
    [`find . ${"\\( ".repeat(2_600)}-true`, "unknown"],
    [`find . ${"! ".repeat(4_000)}-true`, "unknown"],
    ["find $dir -name x", "unknown"],
    ["find . $what", "unknown"],
  ])("finds what %s does", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["fd foo src", "read-only"],
    ["fd -HI -e ts -t f", "read-only"],
    ["fd -e ts -x wc -l", "read-only + read-only"],
    ["fd -e ts -X wc -l {}", "read-only + read-only"],
    ["fd -e ts --exec rm", "read-only + delete unknown"],
    ["fd -e ts -x cat {.}.bak", "read-only + unknown"],
    ["fd -x cat ';' --hidden", "read-only + read-only"],
    ["fd -Hx rm", "unknown"],
    ["fd --exec=rm", "unknown"],
    ["fd -x", "unknown"],
    ["fd -l foo", "read-only + read-only"],
    ["fdfind --base-directory=src foo", "read-only deviation"],
  ])("finds what %s does", (line, verdict) => {
    expect(summary(line)).toBe(verdict);
  });

  it.each([
    ["grep foo a b", ["read a", "read b"]],
    ["grep -f .env a", ["read .env", "read a"]],
    ["grep -r foo", ["search ."]],
    ["grep -d recurse foo", ["search ."]],
    ["rgrep foo", ["search ."]],
    ["grep foo", []],
    ["grep -r -e foo src", ["search src"]],
    ["rg foo", ["search ."]],
    ["rg --files src", ["search src"]],
    ["rg -f .env src", ["read .env", "search src"]],
    ["rg --type-list", []],
    ["find", ["name ."]],
    ["find src test -newer .env", ["name src", "name test", "name .env"]],
    ["find -L src", ["search src"]],
    ["find src -follow", ["search src"]],
    ["find . -exec cat {} + -exec grep foo a {} \\;", ["name .", "search .", "read a", "search ."]],
    ["find a b -exec cat {} +", ["name a", "name b", "search a", "search b"]],
    ["fd foo src", ["name src"]],
    ["fd -L foo src", ["search src"]],
    ["fd . src -x cat", ["name src", "search src"]],
    ["locate foo", ["name /"]],
  ])("names the paths of %s", (line, paths) => {
    expect(pathsOf(line)).toStrictEqual(paths);
  });
});

describe("searches in a project with credentials", () => {
  let fixture: Fixture;
  let judge: Judge;

  beforeAll(async () => {
    fixture = await hostileProject();
    judge = await openJudge(fixture.home);
  });

  afterAll(() => fixture[Symbol.asyncDispose]());

  async function codes(line: string): Promise<string[]> {
    const { project } = fixture;
    const { reasons } = await judge.judge(line, { cwd: project, roots: [project] });
    return reasons.map(({ code }) => code);
  }

  it.each([
    "grep -r KEY .",
    "grep -rh KEY",
    "grep --recursive KEY",
    "grep -d recurse KEY .",
    "grep -d rec KEY .",
    "grep --directories=r KEY .",
    "rgrep KEY",
    "grep -r KEY . --include='.env*'",
    "grep -r KEY . --include='.[[:alpha:]]nv'",
    "grep -r KEY . --include='\\.env'",
    "grep -r KEY odd --include='{a,b}.key'",
    "grep -r KEY . --exclude=zzz --include='*.ts'",
    "grep -r KEY . --exclude=.env --exclude='*.key' --include='*'",
    "grep -r KEY . --exclude-dir=.env",
    "grep -r KEY notes --exclude=notes",
    "grep -r KEY config --exclude='*.KEY'",
    "rg KEY",
    "rg --hidden KEY -g '!*.key'",
    "rg -uu KEY docs/..",
    "rg -g '.env' KEY src .",
    "rg -g '*' KEY",
    "rg -g '\\.env' KEY",
    "rg -g '.[[:alpha:]]nv' KEY",
    "rg -g '.[/e]nv' KEY",
    "rg -g '{a,b[}],.env}' KEY",
    "rg -g '{a,b\\},.env}' KEY",
    "rg -g '.env ' KEY",
    "rg -g ' ' KEY config",
    "rg -g '#x' KEY config",
    "rg --hidden -g '!{,.}env' KEY ignore/escaped",
    `rg --hidden -g '!{${Array.from({ length: 40 }, (_, index) => index).join(",")}}' KEY`,
    `rg -g '${"{a,b}".repeat(1_000)}' KEY`,
    "rg -g '!.env' -g '.env' KEY",
    "rg --type-add 'x:.env' -tx KEY",
    "rg -t all KEY",
    "rg -L -txml KEY",
    "rg --ignore-file README.md KEY",
    "ag -u KEY",
    "ag KEY ignore",
    "ack --noenv KEY",
    "find . -exec cat {} +",
    "find . -type f -exec grep KEY {} +",
    "find . -name '.e*' -exec cat {} +",
    "find . -name '*.ts' -o -exec cat {} +",
    "find . \\( -name '*.ts' -o -type f \\) -exec cat {} +",
    "find . ! -name '*.ts' -exec cat {} +",
    "find . -name notes -exec grep -r KEY {} +",
    "find . -path ./src -prune -o -type f -exec cat {} +",
    "find . -name notes -prune -false -o -type f -exec cat {} +",
    "find . -depth -name config -prune -o -type f -exec cat {} +",
    "find . -name notes -prune -o -mindepth 2 -type f -name 'id_*' -exec cat {} +",
    "find . -type d -path '*/notes/*' -prune -o -type f -name 'id_*' -exec cat {} +",
    "find . -type f -name '\\.env' -exec cat {} +",
    "find . -type f -name '[[:punct:]]env' -exec cat {} +",
    "fd -H -x cat",
    "fd -t f -e key -x cat",
    "fd -t f -e ..key -x cat",
    "tar -cf - .",
  ])("%s needs permission", async (line) => {
    expect(await codes(line)).toContain("credential");
  });

  it.each([
    "grep -rn export src",
    "grep -r KEY . --include='*.ts' --include='*.md'",
    "grep -r KEY . --include='*.[ch]' --include='*.{ts,md}'",
    "grep -d skip KEY *.md",
    "grep -r KEY . --exclude='.env*' --exclude='*.key' --exclude=.npmrc --exclude=id_rsa",
    "rg KEY src docs",
    "rg KEY -g '*.ts'",
    "rg KEY -g '*.{ts,md}'",
    "rg KEY -tts",
    "rg KEY -tc -tjson",
    "rg KEY -g '!config/**' -g '!notes' -g '!odd' -g '!ignore'",
    "rg KEY -g '!{config,notes,odd,ignore}'",
    "rg --files",
    "rg --files --hidden",
    "find . -type f -name '*.ts' -exec grep KEY {} +",
    "find . -type f \\( -name '*.ts' -o -name '*.md' \\) -exec cat {} +",
    "find . -type f -exec ls -l {} +",
    "find . -type f -name '*.ts' -exec wc -l {} + -exec basename {} \\;",
    "find src docs -type f -exec cat {} +",
    "fd -e ts -t f -x wc -l",
    "fd -H",
  ])("%s needs no permission", async (line) => {
    expect(await codes(line)).toEqual([]);
  });

  it.each([
    "find . -name 'link*' -exec cat {} +",
    "find . -type l -exec ls {} +",
    "find -L .",
    "find . -follow",
    "find . -name '*.ts' -exec cp -t src {} +",
    "grep -R x . --include='link*'",
    "rg -L x",
    "fd -L",
    "ls -RL",
    "locate x",
  ])("%s leaves the project", async (line) => {
    expect(await codes(line)).toContain("outside");
  });
});

describe("searches in a project with dependencies", () => {
  it("excludes what the line excludes", async () => {
    await using fixture = await ordinaryProject();
    const { project, home } = fixture;
    const judge = await openJudge(home);
    await mkdir(`${project}/node_modules/x`, { recursive: true });
    await mkdir(`${project}/packages/app/node_modules`, { recursive: true });
    await writeFile(`${project}/node_modules/x/cert.pem`, "");
    const isFree = async (line: string) =>
      (await judge.judge(line, { cwd: project, roots: [project] })).reasons.length === 0;
    const lines = [
      "rg foo",
      "grep -r foo . --exclude-dir=node_modules",
      "find . -type f -not -path '*/node_modules/*' -exec cat {} +",
      "find . -type f ! -path './node_modules/*' -exec cat {} +",
      "find . -path ./node_modules -prune -o -type f -exec cat {} +",
      "find . -type d \\( -name node_modules -o -name .git \\) -prune -o -type f -exec cat {} +",
      "find . -name node_modules -prune -o -type f -print -exec cat {} +",
      "rg --no-ignore -g '!node_modules' foo",
      "rg --no-ignore -g '!node_modules/**' foo",
      "rg --no-ignore -g '!**/node_modules/**' foo",
    ];
    for (const line of lines) expect([line, await isFree(line)]).toEqual([line, true]);
    const others = [
      "grep -r foo .",
      "rg --no-ignore foo",
      "find . -type f -exec cat {} +",
      "find src . -type f ! -path './node_modules/*' -exec cat {} +",
      "find . -not -path '*/node_modules/*' -exec grep -r foo {} +",
    ];
    for (const line of others) expect([line, await isFree(line)]).toEqual([line, false]);
    await writeFile(`${project}/packages/app/node_modules/cert.pem`, "");
    const nested = [
      "find . -type f ! -path './node_modules/*' -exec cat {} +",
      "rg --no-ignore -g '!node_modules/**' foo",
    ];
    for (const line of nested) expect([line, await isFree(line)]).toEqual([line, false]);
  });
});
