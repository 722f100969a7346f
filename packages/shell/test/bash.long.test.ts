import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fc } from "@fast-check/vitest";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Judge, type LineFacts, openJudge } from "../src/index.ts";

const run = promisify(execFile);

/** Programs that log their calls. */
const names = ["c0", "c1", "c2", "c3"];
let folder: string;
let judge: Judge;

beforeAll(async () => {
  judge = await openJudge("/nowhere");
  folder = await mkdtemp(join(tmpdir(), "landline-bash-"));
  await mkdir(join(folder, "bin"));
  for (const name of names) {
    const program = join(folder, "bin", name);
    await writeFile(program, `#!/bin/sh\nprintf '%s\\0' "${name} $*" >> "$LOG"\n`);
    await chmod(program, 0o755);
  }
  for (const name of ["env", "xargs", "timeout", "nohup", "cat", "bash", "true", "false"]) {
    const { stdout } = await run("/bin/sh", ["-c", `command -v ${name}`]);
    const place = stdout.trim();
    await symlink(place.startsWith("/") ? place : `/bin/${name}`, join(folder, "bin", name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The calls that a real shell makes for a line. */
async function calledBy(line: string, shell = "/bin/bash"): Promise<string[]> {
  const work = await mkdtemp(join(folder, "work-"));
  // One log per line, because background processes of one line must not appear in the next.
  const log = `${work}.log`;
  await writeFile(log, "");
  await run(shell, ["-c", `${line}\nwait`], {
    cwd: work,
    env: { PATH: join(folder, "bin"), LOG: log },
    timeout: 20_000,
  }).catch(() => undefined);
  const calls = (await readFile(log, "utf8")).split("\0");
  return calls.slice(0, -1).map((call) => call.trimEnd());
}

/** Whether the facts are complete, apart from the unknown programs of this test. */
function isSeen({ commands, unreadable }: LineFacts): boolean {
  const isClear = (unknown: string | null) =>
    unknown === null || /^the program c\d is not known$/.test(unknown);
  // Words that zsh expands (`=name`) stay as written.
  const isWritten = (words: readonly string[]) =>
    !words.some((word) => /[$`{]|[<>]\(|^[=#]/.test(word));
  return (
    unreadable === null &&
    commands.every(({ unknown, words }) => isClear(unknown) && isWritten(words))
  );
}

function toldBy({ commands }: LineFacts): Set<string> {
  return new Set(commands.map(({ words }) => words.join(" ").trimEnd()));
}

const plainName = fc.constantFrom(...names, "c\\1", "'c2'", '"c3"', "c''0");
const name = fc.oneof(plainName, fc.constant("c1\\\n"));
const fixed = fc.constantFrom(
  "a",
  "-x",
  "'b c'",
  '"d;e"',
  "f\\ g",
  "h=1",
  '"i"',
  "j#k",
  "'|'",
  "x*y",
);
const open = fc.constantFrom("$V", '"$V"', "${V}", "${V:-z}", "$((1+1))", "{p,q}", "$'r'");
const redirect = fc.constantFrom(
  "",
  "",
  "",
  " > out",
  " 2>&1",
  " < /dev/null",
  ">>'o p'",
  " <<< x",
);
const setting = fc.constantFrom("", "", "", "CI=1 ", "LC_ALL='x y' ");

const { line } = fc.letrec<{ line: string; simple: string; word: string }>((tie) => ({
  word: fc.oneof(
    { weight: 8, arbitrary: fixed },
    { weight: 1, arbitrary: open },
    { weight: 1, arbitrary: tie("line").map((inner) => `$(${inner})`) },
    { weight: 1, arbitrary: tie("simple").map((inner) => `"x $(${inner})"`) },
    { weight: 1, arbitrary: tie("simple").map((inner) => `<(${inner})`) },
  ),
  simple: fc
    .tuple(setting, name, redirect, fc.array(tie("word"), { maxLength: 2 }), redirect)
    .map(([set, called, from, words, to]) => `${set}${called}${from} ${words.join(" ")}${to}`),
  line: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("simple"),
    fc
      .tuple(tie("line"), fc.constantFrom(" && ", " || ", "; ", " | ", "\n", " & "), tie("line"))
      .map((parts) => parts.join("")),
    tie("line").map((inner) => `(${inner})`),
    tie("line").map((inner) => `{ ${inner}\n}`),
    tie("line").map((inner) => `if ${inner}\nthen c0 yes; else c1 no; fi`),
    tie("line").map((inner) => `for f in 1 2; do ${inner}\ndone`),
    tie("simple").map((inner) => `for f in 1 '2 3'; do ${inner} "$f" z$f; done`),
    tie("line").map((inner) => `case a in a) ${inner}\n;; esac`),
    tie("line").map((inner) => `while ${inner}\ndo break; done`),
    tie("simple").map((inner) => `cat <<EOF\n$(${inner})\nEOF`),
    tie("simple").map((inner) => `cat <<'EOF'\n$(${inner})\nEOF`),
    tie("simple").map((inner) => `f() { ${inner}; }; f`),
    tie("simple").map((inner) => `V=c2; $V ${inner}`),
    tie("simple").map((inner) => `timeout 9 ${inner}`),
    tie("simple").map((inner) => `env ${inner}`),
    tie("simple").map((inner) => `eval ${inner}`),
    tie("simple").map((inner) => `${inner} # c3 hidden`),
    tie("simple").map((inner) => `! time ${inner}`),
    tie("simple").map((inner) => `bash -c '${inner.replaceAll("'", "")}'`),
  ),
}));

it("contains every command that bash runs for a readable line", async () => {
  let seen = 0;
  let called = 0;
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      const facts = judge.analyse(text);
      if (!isSeen(facts)) return;
      const calls = await calledBy(text);
      seen += 1;
      called += calls.length;
      const told = toldBy(facts);
      expect({ text, untold: calls.filter((call) => !told.has(call)) }).toEqual({
        text,
        untold: [],
      });
    }),
    { numRuns: 300 },
  );
  // Otherwise an analysis that rejects everything would pass.
  expect(seen).toBeGreaterThan(30);
  expect(called).toBeGreaterThan(30);
});

it("parses every plain command into exactly the words that the program receives", async () => {
  const words = fc.array(fixed, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(plainName, redirect, words, async (called, to, given) => {
      const text = [called + to, ...given, "end"].join(" ");
      const facts = judge.analyse(text);
      expect({ text, unreadable: facts.unreadable }).toEqual({ text, unreadable: null });
      expect(facts.commands.map((command) => command.words.join(" "))).toEqual(
        await calledBy(text),
      );
    }),
    { numRuns: 60 },
  );
});

it("contains every command that bash runs for any readable text", async () => {
  const plain = fc.constantFrom("c0 ", "c1 a ", "; c2 ", " | c0", " && c1 ", " ", "\n", "\t");
  const signs = fc.constantFrom(
    ..."c0 c1 c2 a $ ( ) ` ' \" \\ ; & | < > { } [ ] * # ! = == $( << EOF && || ;; if fi then é [[ ]] (( )) <<< for in do done case esac".split(
      " ",
    ),
  );
  // Texts that the grammar and the shell once parsed differently.
  const odd = fc.constantFrom(
    "\\\n",
    "$\\\n(c2)",
    '"$\\\n(c2)"',
    '"$ $(c2)"',
    "\\\n# ; c2",
    ")# ; c2",
    " -x1>&2",
    " -x<<'EOF'\na\nEOF\n",
    " <<EOF c2 b\na\nEOF\n",
    " &>/dev/null c2",
    "{c2;}",
  );
  // Random punctuation is rarely readable.
  const pieces = fc.oneof(
    { weight: 4, arbitrary: plain },
    { weight: 2, arbitrary: signs },
    { weight: 1, arbitrary: odd },
  );
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 16, size: "max" }), async (parts) => {
      const text = parts.join("");
      const facts = judge.analyse(text);
      // Process ids (`$$`) cannot be compared.
      if (!isSeen(facts) || facts.commands.length === 0 || /\$[?#$!]/.test(text)) return;
      seen += 1;
      const told = toldBy(facts);
      const calls = await calledBy(text);
      expect({ text, untold: calls.filter((call) => !told.has(call)) }).toEqual({
        text,
        untold: [],
      });
      // Lines for `sh -c` are parsed like those for bash.
      const programs = new Set([...told].map((call) => call.split(" ")[0]));
      const calledBySh = (await calledBy(text, "/bin/sh")).map((call) => call.split(" ")[0]);
      expect({ text, untold: calledBySh.filter((program) => !programs.has(program)) }).toEqual({
        text,
        untold: [],
      });
    }),
    { numRuns: 2_000 },
  );
  expect(seen).toBeGreaterThan(20);
});

it.each(["(", "{ ", "$(", "`", "if ", "a|", "<<", "((", "[[ ", '"$(', "case x in "])(
  "parses a line of repeated %j, or gives up",
  (piece) => {
    expect(judge.analyse(piece.repeat(8_000).slice(0, 8_192)).unreadable).not.toBeNull();
  },
);

/** A rule that denies `rm` must find it in these lines, readable or not. */
it.each([
  ["a long line", `echo ${"a".repeat(40_000)}; if true; then 'rm' a; fi`],
  ["an open quote", "rm a; echo 'open"],
  ["an open bracket", "( (rm a"],
  ["shells inside shells", String.raw`sh -c "sh -c 'sh -c \"rm a\"'"`],
  ["many commands", `${"a;".repeat(300)}rm a`],
  ["a long pipe", `${"a | ".repeat(300)}rm a`],
  ["many brackets", `${"(".repeat(300)}rm a`],
  ["many braces", `${"{ ".repeat(300)}rm a`],
  ["a function", "f() { rm a; }"],
  ["xargs", "ls | xargs rm a"],
  ["eval", "eval 'rm a'"],
  ["another user", "sudo -u root rm a"],
  ["a here-document", "cat <<E\n`rm a`\nE"],
  ["find", "find . -exec rm a ';'"],
])("finds a command in %s", (_, text) => {
  const told = judge.analyse(text).commands.map((command) => command.words.join(" "));
  expect(told).toContain("rm a");
});

it.each([
  ["git rm x"],
  ["echo rm a"],
  ["git commit -m 'rm a'"],
  ["ls > rm"],
  ["name=rm"],
  ["rmdir a"],
])("finds no command in the words of %s", (text) => {
  const programs = judge.analyse(text).commands.map(({ words }) => words[0]);
  expect(programs).not.toContain("rm");
});
