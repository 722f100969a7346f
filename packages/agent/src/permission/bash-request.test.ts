import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { defaultRules, planRules } from "../config/default-rules.ts";
import { scanLimits } from "../limits.ts";
import { bashRequest, UNSEEN } from "./bash-request.ts";
import { scanLine } from "./bash-scan.ts";
import { judge } from "./judge.ts";
import type { Rule } from "./rule.ts";

async function requestFor(line: string) {
  return bashRequest(line, await scanLine(line));
}

/** The line, how it is judged, and what "always" would allow. */
const plain: [line: string, patterns: string[], always: string[]][] = [
  ["ls", ["ls"], ["ls *"]],
  ["ls -la src", ["ls -la src"], ["ls *"]],
  ["  ls  ", ["ls"], ["ls *"]],
  ["ls;", ["ls"], ["ls *"]],
  ["ls &", ["ls"], ["ls *"]],
  ["ls # and nothing else", ["ls"], ["ls *"]],
  ["ls \\\n -l", ["ls -l"], ["ls *"]],
  ["ls *.ts", ["ls *.ts"], ["ls *"]],
  ["cat src/*.ts", ["cat src/*.ts"], ["cat *"]],
  ["rm src/*.o", ["rm src/*.o"], ["rm *"]],
  ["/bin/rm -rf x", ["rm -rf x"], ["rm *"]],
  ["./run.sh -v", ["./run.sh -v"], ["./run.sh *"]],
  ["r\\m x", ["rm x"], ["rm *"]],
  [`"rm" 'x'`, ["rm x"], ["rm *"]],
  [`r""m x`, ["rm x"], ["rm *"]],
  [`grep "foo$" a`, ["grep 'foo$' a"], ["grep *"]],
  [`grep 'a|b' src`, ["grep 'a|b' src"], ["grep *"]],
  [`echo 'it'\\''s'`, [`echo 'it'\\''s'`], ["echo *"]],
  [`echo "a; rm -rf /"`, ["echo 'a; rm -rf /'"], ["echo *"]],
  [`echo "a \\$HOME"`, ["echo 'a $HOME'"], ["echo *"]],
  ["echo a\\;b", ["echo 'a;b'"], ["echo *"]],
  ["echo $?", ["echo '$?'"], ["echo *"]],
  ["echo $HOME", ["echo $HOME"], ["echo *"]],
  ["echo ''", ["echo ''"], ["echo *"]],
  ["git status", ["git status"], ["git status *"]],
  ["git", ["git"], ["git"]],
  ["git log --oneline -3", ["git log --oneline -3"], ["git log *"]],
  ["git checkout -b x", ["git checkout -b x"], ["git checkout *"]],
  ["git -C sub push", ["git -C sub push"], ["git -C sub push *"]],
  ["git -c a=b push", ["git -c a=b push"], ["git -c a=b push *"]],
  ["git --no-pager log", ["git --no-pager log"], ["git --no-pager log"]],
  ["git stash pop", ["git stash pop"], ["git stash pop *"]],
  ["git stash drop stash@{0}", ["git stash drop stash@{0}"], ["git stash drop *"]],
  ["git remote add a b", ["git remote add a b"], ["git remote add *"]],
  [`git commit -m "a b"`, ["git commit -m 'a b'"], ["git commit *"]],
  ["npm test", ["npm test"], ["npm test *"]],
  ["npm run build -- --watch", ["npm run build -- --watch"], ["npm run build *"]],
  ["npm run", ["npm run"], ["npm run"]],
  ["npm --prefix web run dev", ["npm --prefix web run dev"], ["npm --prefix web run dev *"]],
  ["npm install --save-dev x", ["npm install --save-dev x"], ["npm install *"]],
  ["npx tsc -p .", ["npx tsc -p ."], ["npx tsc *"]],
  ["pnpm --filter web build", ["pnpm --filter web build"], ["pnpm --filter web build *"]],
  ["docker compose up -d", ["docker compose up -d"], ["docker compose up *"]],
  ["docker compose -f a.yml up", ["docker compose -f a.yml up"], ["docker compose -f a.yml up *"]],
  ["docker run ubuntu ls", ["docker run ubuntu ls"], ["docker run ubuntu *"]],
  ["kubectl -n prod get pods", ["kubectl -n prod get pods"], ["kubectl -n prod get *"]],
  ["cargo test --all", ["cargo test --all"], ["cargo test *"]],
  ["make", ["make"], ["make"]],
  ["make test", ["make test"], ["make test *"]],
  ["make -j 4 test", ["make -j 4 test"], ["make -j 4 test *"]],
  ["python -m pytest -k x", ["python -m pytest -k x"], ["python -m pytest *"]],
  ["python a.py b", ["python a.py b"], ["python a.py *"]],
  [`python -c "print(1)"`, ["python -c 'print(1)'"], ["python -c 'print(1)'"]],
  ["node -e 1", ["node -e 1"], ["node -e 1"]],
  ["node", ["node"], ["node"]],
  ["bash scripts/test.sh all", ["bash scripts/test.sh all"], ["bash scripts/test.sh *"]],
  ["source .venv/bin/activate", ["source .venv/bin/activate"], ["source .venv/bin/activate *"]],
  ["gh pr view 3 --web", ["gh pr view 3 --web"], ["gh pr view *"]],
  ["systemctl --user restart x", ["systemctl --user restart x"], ["systemctl --user restart *"]],
  ["a && b || c; d", ["a", "b", "c", "d"], ["a *", "b *", "c *", "d *"]],
  ["a | b |& c", ["a", "b", "c"], ["a *", "b *", "c *"]],
  ["a & b", ["a", "b"], ["a *", "b *"]],
  ["a\nb", ["a", "b"], ["a *", "b *"]],
  ["! a", ["a"], ["a *"]],
  ["(a; b)", ["a", "b"], ["a *", "b *"]],
  ["{ a; b; }", ["a", "b"], ["a *", "b *"]],
  [
    "if a; then b; elif c; then d; else e; fi",
    ["a", "b", "c", "d", "e"],
    ["a *", "b *", "c *", "d *", "e *"],
  ],
  ["while a; do b; done", ["a", "b"], ["a *", "b *"]],
  ["until a; do b; done", ["a", "b"], ["a *", "b *"]],
  ["for f in a b; do c; done", ["c"], ["c *"]],
  ["for f in *.ts; do echo $f; done", ["echo $f"], ["echo *"]],
  ["case a in a) b;; *) c;; esac", ["b", "c"], ["b *", "c *"]],
  ["npm test 2>&1 | tail -20", ["npm test", "tail -20"], ["npm test *", "tail *"]],
  ["a > /dev/null 2>&1", ["a"], ["a *"]],
  ["a 2>/dev/null", ["a"], ["a *"]],
  ["a > out.txt", ["a", "> out.txt"], ["a *", "> out.txt"]],
  ["a >> out.txt", ["a", "> out.txt"], ["a *", "> out.txt"]],
  ["a &> 'o p'", ["a", "> 'o p'"], ["a *", "> 'o p'"]],
  ["a >| out", ["a", "> out"], ["a *", "> out"]],
  ["> out.txt", ["> out.txt"], ["> out.txt"]],
  ["> out.txt rm b", ["rm b", "> out.txt"], ["rm *", "> out.txt"]],
  ["a < in.txt", ["a"], ["a *"]],
  ["rm > /dev/null -rf x", ["rm -rf x"], ["rm *"]],
  ["rm > a -rf b 2> c d", ["rm -rf b d", "> a", "> c"], ["rm *", "> a", "> c"]],
  ["a <<< 'text'", ["a"], ["a *"]],
  ["cat <<EOF\nrm -rf /\nEOF", ["cat"], ["cat *"]],
  ["cat <<'EOF' > a\n$(rm -rf /)\nEOF\nls", ["cat", "ls", "> a"], ["cat *", "ls *", "> a"]],
  ["cat <<-EOF | wc\n\thi\n\tEOF", ["cat", "wc"], ["cat *", "wc *"]],
  ["echo $(ls)", ["echo $(ls)", "ls"], ["echo *", "ls *"]],
  ["echo `ls`", ["echo `ls`", "ls"], ["echo *", "ls *"]],
  [`echo "is $(ls -l)"`, [`echo "is $(ls -l)"`, "ls -l"], ["echo *", "ls *"]],
  ["X=1 a b", ["X=1 a b"], ["X=1 a *"]],
  ["X=1", ["X=1"], ["X=1"]],
  ["X='a b' c", ["X='a b' c"], []],
  ["export X=1", ["export X=1"], ["export X=1"]],
  ["unset X", ["unset X"], ["unset *"]],
  ["cd src && ls", ["ls"], ["ls *"]],
  ["cd src", ["cd src"], ["cd *"]],
  ["[ -f a ] && cat a", ["cat a"], ["cat *"]],
  ["[[ -f a ]] || true", ["[[ -f a ]]", "true"], ["[[ *", "true *"]],
  ["time npm test", ["npm test"], ["npm test *"]],
  ["timeout 60 npm test", ["npm test"], ["npm test *"]],
  ["timeout -s KILL -k 5 60 rm x", ["rm x"], ["rm *"]],
  ["nohup nice -n 5 rm x", ["rm x"], ["rm *"]],
  ["command rm x", ["rm x"], ["rm *"]],
  ["command -v node", ["command -v node"], ["command *"]],
  ["exec rm x", ["rm x"], ["rm *"]],
  ["find . -name '*.ts'", ["find . -name *.ts"], ["find *"]],
  ["find . -de''lete", ["find . -delete"], ["find *"]],
  ["env", ["env"], ["env *"]],
  ["echo ä €", ["echo ä €"], ["echo *"]],
];

/** The line, and commands that must be judged beside the line as a whole. */
const hostile: [line: string, commands: string[]][] = [
  ["", []],
  ["   ", []],
  ["rm $X", ["rm $X"]],
  ['rm "$X"', ['rm "$X"']],
  ["$X rm", ["$X rm"]],
  ['"$X"', []],
  ["r$X -rf a", []],
  ["X=rm; $X a", ["X=rm"]],
  ["find . $X", ["find . $X"]],
  ["find *", ["find *"]],
  ["rm *", ["rm *"]],
  ["find . -d{elete,x}", []],
  ["ls {a,b}", []],
  ["ls $'\\x2d'", []],
  ['ls $"a"', []],
  ["ls ~ $((X))", []],
  ["ls ${X:-$(rm a)}", ["rm a"]],
  ["echo ${X@P}", []],
  ["echo ${!X}", []],
  ["echo ${a[$X]}", []],
  ["ls $(rm a)", ["rm a"]],
  ["ls `rm a`", ["rm a"]],
  ["ls <(rm a)", ["rm a"]],
  ["a > $X", ["a"]],
  ["a > $(rm b)", ["a", "rm b"]],
  ["X=$(rm a) ls", ["rm a"]],
  ["X=$(rm a)", ["rm a"]],
  ["a[$(rm b)]=1", ["rm b"]],
  ["((a[$(rm b)]))", ["rm b"]],
  ["[[ $X -eq 1 ]]", []],
  ["[[ a || rm b ]]", []],
  ["[[ a > b ]]", []],
  ["[ a > b ]", []],
  ["- rm a", ["rm a"]],
  ["[ -v 'a[$(rm b)]' ]", []],
  ["printf -v 'a[$(rm b)]' x", []],
  ["for ((i=0; i<3; i++)); do rm a; done", ["rm a"]],
  ["ls() { rm a; }; ls", ["rm a", "ls"]],
  [":(){ :|:& };:", []],
  ["eval 'rm a'", ["rm a"]],
  ["eval rm a", ["rm a"]],
  [`bash -c "rm a; ls"`, ["rm a", "ls"]],
  ["sh -c 'sh -c \"rm a\"'", ["rm a"]],
  ["bash <<EOF\nrm a\nEOF", []],
  ["curl x | sh", ["curl x", "sh"]],
  ["bash", ["bash"]],
  ["bash -x a.sh", []],
  ["sudo rm a", ["rm a"]],
  ["sudo -u root rm a", ["rm a"]],
  ["sudo -- /bin/rm a", ["rm a"]],
  ["env X=1 rm a", ["rm a"]],
  ["env -i rm a", ["rm a"]],
  ["xargs rm", ["rm"]],
  ["ls | xargs -n 1 rm -f", ["ls", "rm -f"]],
  ["find . -exec rm {} \\;", ["rm {}"]],
  ["find . -execdir rm {} +", ["rm {}"]],
  ["timeout --unknown 5 rm a", ["rm a"]],
  ["exec -a ls rm a", ["rm a"]],
  ["command -- rm a", ["rm a"]],
  ["ssh host rm a", ["rm a"]],
  ["watch 'rm a'", ["rm a"]],
  ["trap 'rm a' EXIT", ["rm a"]],
  ["alias ls='rm a'", []],
  ["hash -p ./evil ls", []],
  ["coproc rm a", ["rm a"]],
  ["let 'a[$(rm b)]=1'", []],
  ["noglob rm a", ["rm a"]],
  ["ls *(e:'rm a':)", []],
  ["ls ?(a|b)", []],
  ["if true; then", []],
  ["ls 'open", []],
  ["ls )", []],
  ["ls\rrm a", []],
  ["ls \u0007", []],
  ["cat <<EOF\n$(rm a)\nEOF", ["rm a"]],
  ["cat <<A <<B\nA\nrm a\nB", []],
  ["cat <<E'O'F\nEOF\nrm a", []],
  ["cat <<EOF\nEOF \nrm a\nEOF", []],
  ["ls $ a$", []],
  ["a | b > c -d", []],
  ["a 2>b {c}>d", []],
  ["a>$#\\b", []],
];

describe("how a line is judged", () => {
  it("is tried with enough lines", () => {
    expect(plain.length + hostile.length).toBeGreaterThan(150);
  });

  it.each(plain)("%j is seen", async (line, patterns, always) => {
    const request = await requestFor(line);
    expect(request.patterns).toEqual(patterns);
    expect(request.always).toEqual(always);
  });

  it.each(hostile)("%j is asked as a whole", async (line, commands) => {
    const { patterns, always } = await requestFor(line);
    expect(patterns[0]).toBe(UNSEEN + line);
    expect(patterns).toEqual(expect.arrayContaining(commands));
    expect(always).toEqual([]);
  });

  it("lets no rule for a command allow what hides behind it", async () => {
    const rules: Rule[] = ["ls", "echo", "find", "git log", "cat", "printf", "sudo", "bash"].map(
      (command) => ({ permission: "bash", pattern: `${command} *`, action: "allow" }),
    );
    const lines = [
      "ls; rm a",
      "ls | sh",
      "ls > a",
      "X=1 ls",
      "ls\nrm a",
      ...hostile.map(([line]) => line),
    ];
    for (const line of lines) {
      const judged = judge({ rules, approved: [], level: "ask" }, await requestFor(line));
      expect({ line, judged }).toEqual({ line, judged: "ask" });
    }
  });

  it("lets a ban find its command wherever it stands in plain sight", async () => {
    const rules: Rule[] = [
      { permission: "*", pattern: "*", action: "allow" },
      { permission: "bash", pattern: "rm *", action: "deny" },
    ];
    const lines = [
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
    ];
    for (const line of lines) {
      const judged = judge({ rules, approved: [], level: "allow-all" }, await requestFor(line));
      expect({ line, judged }).toEqual({ line, judged: "deny" });
    }
  });
});

describe("in plan mode", () => {
  const decided = async (line: string) =>
    judge(
      { rules: [...defaultRules, ...planRules], approved: [], level: "ask" },
      await requestFor(line),
    );

  it.each([
    "ls -la src",
    "cd src && ls *.ts",
    "git status; git diff --stat | head -20",
    "grep -rn foo src 2>/dev/null | wc -l",
    "find . -name '*.ts' | head",
    "[ -f a ] && cat a",
    "timeout 5 git log -3",
    "echo $HOME",
  ])("%s just runs", async (line) => {
    expect(await decided(line)).toBe("allow");
  });

  it.each([
    "npm test",
    "ls > a",
    "sed -i s/a/b/ c",
    "find . -delete",
    "find . -d''elete",
    "find . $X",
    "X=1 ls",
    "git -c core.pager=./evil log",
    "git log --output=a",
    "cat a | tee b",
    "ls; rm a",
    "echo $(rm a)",
    "sudo ls",
    "bash -c ls",
  ])("%s is asked", async (line) => {
    expect(await decided(line)).toBe("ask");
  });
});

describe("what a line names", () => {
  const paths = async (line: string) =>
    (await scanLine(line)).paths.map(({ path, isSure }) => (isSure ? path : `${path}?`));

  it.each([
    ["cat /etc/passwd", ["/etc/passwd"]],
    ["cat a > ../b", ["a", "../b"]],
    ["cat < /etc/hosts", ["/etc/hosts"]],
    ["rm -rf ~/x ~", [`${homedir()}/x`, homedir()]],
    ["ls '~'", ["~"]],
    ["cd", [homedir()]],
    ["cp --target-directory=/tmp a", ["/tmp", "a"]],
    ["tar -C/opt -xf a.tar", ["/opt", "a.tar"]],
    ["cat /etc/*.conf", ["/etc"]],
    ["cat /etc/$X", ["/etc"]],
    ["node ../other/a.js", ["../other/a.js?"]],
    ["sed '/x/d' a", ["/x/d?"]],
    ["dd if=/dev/zero of=/tmp/x", ["/dev/zero?", "/tmp/x?"]],
    ["curl https://x.org/a -o /tmp/a", ["/tmp/a?"]],
    ["/opt/tool a", ["/opt/tool?"]],
    ["npm test", []],
    ["echo a/b", []],
  ])("%s", async (line, expected) => {
    expect(await paths(line)).toEqual(expected);
  });

  it("where it goes", async () => {
    const { paths: seen } = await scanLine("cd /tmp && rm -rf a");
    expect(seen).toEqual([
      { path: "/tmp", isSure: true, isEntered: true },
      { path: "a", isSure: true, isEntered: false },
    ]);
  });
});

describe("a line that is not bash's", () => {
  it("is asked as a whole on Windows, and when it is very long", async () => {
    expect(await scanLine("dir", "win32")).toMatchObject({ isSeen: false });
    expect(await scanLine(`echo ${"a".repeat(40_000)}`)).toMatchObject({ isSeen: false });
  });

  it("hides no forbidden command, however long or broken it is", async () => {
    const long = `echo ${"a".repeat(40_000)}; if true; then 'rm' a; fi`;
    for (const line of [
      long,
      "rm a; echo 'open",
      "( (rm a",
      String.raw`sh -c "sh -c 'sh -c \"rm a\"'"`,
    ]) {
      const { commands } = await scanLine(line);
      expect(commands.map(({ text }) => text)).toContain("rm a");
    }
    for (const [piece, end] of [
      ["a;", "rm a"],
      ["a | ", "rm a"],
      ["(", "rm a"],
      ["{ ", "rm a"],
    ] as const) {
      const { commands, isSeen } = await scanLine(piece.repeat(scanLimits.commands + 1) + end);
      expect(isSeen).toBe(false);
      expect(commands.map(({ text }) => text)).toContain("rm a");
    }
    const { commands } = await scanLine("dir & rm a", "win32");
    expect(commands.map(({ text }) => text)).toEqual(["dir", "rm a"]);
  });

  it.each(["(", "{ ", "$(", "`", "if ", "a|", "<<", "((", "[[ ", '"$(', "case x in "])(
    "ends in time when it is %j over and over",
    async (piece) => {
      const started = performance.now();
      const { isSeen } = await scanLine(piece.repeat(8_000).slice(0, scanLimits.lineCharacters));
      expect(isSeen).toBe(false);
      // Far more than it needs, and far less than anything that grows faster than the line.
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );
});
