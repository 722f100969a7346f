import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayRun, plainWords, startsWith } from "./command-line.ts";

function isAllowed(line: string, prefix: string): boolean {
  const words = plainWords(line);
  return words !== null && startsWith(words, plainWords(prefix) ?? []);
}

/** line, prefix: what an allow rule must take. */
const allowed: readonly (readonly [string, string])[] = [
  ["npm test", "npm test"],
  ["npm test --watch", "npm test"],
  ["npm  test", "npm test"],
  ["\tnpm\ttest", "npm test"],
  ["npm test\n", "npm test"],
  ["  npm test  ", "npm test"],
  ["npm 'test'", "npm test"],
  ['npm "test"', "npm test"],
  ["npm te'st'", "npm test"],
  ["npm test -- --reporter=dot", "npm test"],
  ["npm test 'a; b'", "npm test"],
  ['npm test "a && b"', "npm test"],
  ["npm test '$HOME `x` $(y)'", "npm test"],
  ["npm test ''", "npm test"],
  ["git log HEAD^..HEAD~2", "git log"],
  ["eslint src/*.ts test/?.ts [ab].ts", "eslint"],
  ["date +%s", "date"],
  ["ls ~/x", "ls"],
  ["git commit -m 'fix: a > b'", "git commit"],
  ["./run.sh --all", "./run.sh"],
  ["npm run a:b", "npm run a:b"],
  ["make -j4 CFLAGS=-O2", "make"],
  ["echo grüße 🙂", "echo"],
  ["git commit -m 'it'\"'\"'s'", "git commit"],
];

/** What an allow rule must never take. */
const refused: readonly (readonly [string, string])[] = [
  ["npm tests", "npm test"],
  ["npm testing", "npm test"],
  ["npm", "npm test"],
  ["", "npm test"],
  ["   ", "npm test"],
  ["npm test; rm -rf /", "npm test"],
  ["npm test;rm -rf /", "npm test"],
  ["npm test && rm -rf /", "npm test"],
  ["npm test & rm -rf /", "npm test"],
  ["npm test &", "npm test"],
  ["npm test || x", "npm test"],
  ["npm test | sh", "npm test"],
  ["npm test |& sh", "npm test"],
  ["npm test $(rm -rf /)", "npm test"],
  ['npm test "$(rm -rf /)"', "npm test"],
  ["npm test `rm -rf /`", "npm test"],
  ['npm test "`rm -rf /`"', "npm test"],
  ["npm test $HOME", "npm test"],
  ["npm test ${IFS}x", "npm test"],
  ['npm test "$X"', "npm test"],
  ["npm test $'\\n'", "npm test"],
  ["npm test\nrm -rf /", "npm test"],
  ["npm test\r\nrm -rf /", "npm test"],
  ["npm test\rrm -rf /", "npm test"],
  ["npm test '\nrm -rf /'", "npm test"],
  ["npm test \\\n rm", "npm test"],
  ["npm test \\; x", "npm test"],
  ["npm test 'a\\' '; rm -rf /; '", "npm test"],
  ['npm test "a\\"; rm -rf /; "', "npm test"],
  ["npm test > /etc/passwd", "npm test"],
  ["npm test >> x", "npm test"],
  ["npm test 2>&1", "npm test"],
  ["npm test < x", "npm test"],
  ["npm test << EOF", "npm test"],
  ["npm test <(x)", "npm test"],
  ["npm test (x)", "npm test"],
  ["(npm test)", "npm test"],
  ["{ npm test; }", "npm test"],
  ["npm test {a,b}", "npm test"],
  ["npm test # rm", "npm test"],
  ["npm test !x", "npm test"],
  ["! npm test", "npm test"],
  ["FOO=1 npm test", "npm test"],
  ["FOO= npm test", "npm test"],
  ["PATH=/tmp:$PATH npm test", "npm test"],
  ["LD_PRELOAD=/tmp/x.so npm test", "npm test"],
  ["'FOO=1' npm test", "npm test"],
  ["sudo npm test", "npm test"],
  ["env npm test", "npm test"],
  ["exec npm test", "npm test"],
  ["time npm test", "npm test"],
  ["/tmp/npm test", "npm test"],
  ["./npm test", "npm test"],
  ["NPM test", "npm test"],
  ["bash -c 'npm test'", "npm test"],
  ["npm 'test", "npm test"],
  ['npm "test', "npm test"],
  ["npm test\0", "npm test"],
  ["npm test \u001b[2K", "npm test"],
  ["npm\u00a0test", "npm test"],
  ["npm test \u202e", "npm test"],
  ["npm test \u200b", "npm test"],
  ["npm test\u2028rm", "npm test"],
  ["npm 'test x'", "npm test"],
  ["'npm test'", "npm test"],
  ["npm test", ""],
  ["rm -rf /", "npm; rm"],
];

describe("what an allow rule takes", () => {
  it.each(allowed)("%j starts with %j", (line, prefix) => {
    expect(isAllowed(line, prefix)).toBe(true);
  });

  it.each(refused)("%j is not for %j", (line, prefix) => {
    expect(isAllowed(line, prefix)).toBe(false);
  });

  const dangerous = [";", "&", "|", "<", ">", "(", ")", "{", "}", "$", "`", "\\", "\n", "#", "!"];

  it("never takes a line with a character outside quotes that a shell acts on", () => {
    const plain = fc.stringMatching(/^[a-z ./-]{0,20}$/);
    fc.assert(
      fc.property(plain, fc.constantFrom(...dangerous), plain, (before, character, after) => {
        expect(plainWords(`npm test ${before}${character}${after}x`)).toBeNull();
      }),
    );
  });

  it("gives back words that were quoted", () => {
    const word = fc.stringMatching(/^[a-z0-9 ;&|<>(){}$`"#!*?-]{1,20}$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const line = ["run", ...words.map((each) => `'${each}'`)].join(" ");
        expect(plainWords(line)).toEqual(["run", ...words]);
      }),
    );
  });

  it("never throws, and takes time in proportion", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (line) => {
        plainWords(line);
        mayRun(line, ["rm"]);
      }),
    );
    const long = `npm test ${"'a' \"b\" c ".repeat(100_000)}`;
    expect(plainWords(long)?.length).toBe(300_002);
    expect(mayRun(`${long}${"\"'".repeat(100_000)}`, ["rm"])).toBe(false);
  });
});

/** What a rule that denies or asks must find. */
const found: readonly (readonly [string | readonly string[], string])[] = [
  ["rm -rf /", "rm"],
  ["rm -rf /", "rm -rf"],
  ["/bin/rm -rf /", "rm -rf"],
  ["npm test; rm -rf /", "rm"],
  ["npm test && rm x", "rm"],
  ["npm test || rm x", "rm"],
  ["npm test | rm x", "rm"],
  ["npm test & rm x", "rm"],
  ["npm test\nrm x", "rm"],
  ["echo $(rm x)", "rm"],
  ['echo "$(rm x)"', "rm"],
  ["echo `rm x`", "rm"],
  ['echo "`rm x`"', "rm"],
  ["(rm x)", "rm"],
  ["{ rm x; }", "rm"],
  ["FOO=1 rm x", "rm"],
  ["FOO=1 BAR=2 rm x", "rm"],
  ["sudo rm x", "rm"],
  ["sudo -u root rm x", "rm"],
  ["env -i A=1 rm x", "rm"],
  ["xargs rm", "rm"],
  ["find . -exec rm {} +", "rm"],
  ["time rm x", "rm"],
  ["if true; then rm x; fi", "rm"],
  ["! rm x", "rm"],
  ["bash -c 'rm x'", "rm"],
  ['sh -c "cd /; rm x"', "rm"],
  ["bash -lc \"sh -c 'rm x'\"", "rm"],
  ["r'm' x", "rm"],
  ['"rm" x', "rm"],
  ["r\\m x", "rm"],
  ["> out rm x", "rm"],
  ["rm>out x", "rm"],
  ["2>&1 rm x", "rm"],
  ["git push --force origin", "git push --force"],
  ["cd x && git push --force", "git push"],
  ["rm 'unclosed", "rm"],
  ["$'rm' x", "rm"],
  ['$"rm" x', "rm"],
  [["rm", "-rf", "/"], "rm -rf"],
  [["/bin/rm", "x"], "rm"],
  [["bash", "-c", "cd / && rm x"], "rm"],
  [["sudo", "rm", "x"], "rm"],
];

const notFound: readonly (readonly [string | readonly string[], string])[] = [
  ["git rm x", "rm"],
  ["echo rm", "rm"],
  ["rmdir x", "rm"],
  ["npm test", "rm"],
  ["git commit -m 'rm the old files'", "rm"],
  ["git push", "git push --force"],
  ["ls > rm", "rm"],
  ["FOO=rm", "rm"],
  ["", "rm"],
  [["echo", "rm x"], "rm"],
  [[], "rm"],
];

describe("what a rule that denies or asks finds", () => {
  it.each(found)("%j may run %j", (line, prefix) => {
    expect(mayRun(line, prefix.split(" "))).toBe(true);
  });

  it.each(notFound)("%j does not run %j", (line, prefix) => {
    expect(mayRun(line, prefix.split(" "))).toBe(false);
  });

  it("finds whatever an allow rule would take", () => {
    const word = fc.stringMatching(/^[a-z'" -]{1,12}$/);
    fc.assert(
      fc.property(word, (rest) => {
        const line = `npm test ${rest}`;
        expect(!isAllowed(line, "npm test") || mayRun(line, ["npm", "test"])).toBe(true);
      }),
    );
  });
});
