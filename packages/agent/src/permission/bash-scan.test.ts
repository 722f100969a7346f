import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fc } from "@fast-check/vitest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scanLine, type ScannedLine } from "./bash-scan.ts";

const run = promisify(execFile);

/** Programs that do nothing but write down how they were called. */
const names = ["c0", "c1", "c2", "c3"];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-scan-"));
  await mkdir(join(folder, "bin"));
  for (const name of names) {
    const program = join(folder, "bin", name);
    await writeFile(program, `#!/bin/sh\nprintf '%s\\0' "${name} $*" >> "$LOG"\n`);
    await chmod(program, 0o755);
  }
  for (const name of ["env", "xargs", "timeout", "nohup", "cat", "bash", "true", "false", "find"]) {
    const { stdout } = await run("/bin/sh", ["-c", `command -v ${name}`]);
    const place = stdout.trim();
    await symlink(place.startsWith("/") ? place : `/bin/${name}`, join(folder, "bin", name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What bash really runs of a line. */
async function traced(line: string): Promise<string[]> {
  const work = await mkdtemp(join(folder, "work-"));
  // Of its own: what one line left in the background must not count for the next.
  const log = `${work}.log`;
  await writeFile(log, "");
  await run("/bin/bash", ["-c", `${line}\nwait`], {
    cwd: work,
    env: { PATH: join(folder, "bin"), LOG: log },
    timeout: 20_000,
  }).catch(() => undefined);
  const calls = (await readFile(log, "utf8")).split("\0");
  return calls.slice(0, -1).map((call) => call.trimEnd());
}

function toldOf(scanned: ScannedLine): Set<string> {
  return new Set(scanned.commands.map(({ words }) => words.join(" ").trimEnd()));
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
  '"i$"',
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
const setting = fc.constantFrom("", "", "", "A=1 ", "A='x y' ");

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
  ),
}));

test("bash runs no command of a line that counts as seen without it having been seen", async () => {
  let seen = 0;
  let called = 0;
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      const scanned = await scanLine(text);
      const calls = await traced(text);
      if (!scanned.isSeen) return;
      seen += 1;
      called += calls.length;
      const told = toldOf(scanned);
      expect({ text, unseen: calls.filter((call) => !told.has(call)) }).toEqual({
        text,
        unseen: [],
      });
    }),
    { numRuns: 250 },
  );
  // It would hold for a scanner that sees nothing.
  expect(seen).toBeGreaterThan(30);
  expect(called).toBeGreaterThan(50);
}, 120_000);

test("a command without anything open is always seen, with exactly the words that it gets", async () => {
  const words = fc.array(fixed, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(plainName, redirect, words, async (called, to, given) => {
      const text = [called + to, ...given, "end"].join(" ");
      const scanned = await scanLine(text);
      expect({ text, isSeen: scanned.isSeen }).toEqual({ text, isSeen: true });
      expect(scanned.commands.map((command) => command.words.join(" "))).toEqual(
        await traced(text),
      );
    }),
    { numRuns: 60 },
  );
}, 60_000);

test("of any text at all that counts as seen, bash runs nothing else", async () => {
  const pieces = fc.constantFrom(
    ..."c0 c1 c2 a $ ( ) ` ' \" \\ ; & | < > { } [ ] * # ! = == $( << EOF && || ;; if fi then é".split(
      " ",
    ),
    " ",
    " ",
    " ",
    "\n",
    "\t",
  );
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 16, size: "max" }), async (parts) => {
      const text = parts.join("");
      const scanned = await scanLine(text);
      // Numbers of bash's own (`$$`) are seen, but can't be compared.
      if (!scanned.isSeen || scanned.commands.length === 0 || /\$[?#$!]/.test(text)) return;
      seen += 1;
      const told = toldOf(scanned);
      const calls = await traced(text);
      expect({ text, unseen: calls.filter((call) => !told.has(call)) }).toEqual({
        text,
        unseen: [],
      });
    }),
    { numRuns: 3_000 },
  );
  expect(seen).toBeGreaterThan(20);
}, 120_000);
