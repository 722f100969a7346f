import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainWords, startsWith, joinWords } from "./command-prefix.ts";

function isStart(line: string, prefix: string): boolean {
  const words = plainWords(line);
  return words !== null && startsWith(words, plainWords(prefix) ?? []);
}

/** Lines that start with the words of a prefix. */
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

/** Lines that are not plain, or start otherwise. */
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

describe("a prefix", () => {
  it.each(allowed)("%j starts with %j", (line, prefix) => {
    expect(isStart(line, prefix)).toBe(true);
  });

  it.each(refused)("%j does not start with %j", (line, prefix) => {
    expect(isStart(line, prefix)).toBe(false);
  });

  const dangerous = [";", "&", "|", "<", ">", "(", ")", "{", "}", "$", "`", "\\", "\n", "#", "!"];

  it("never matches a line with an unquoted shell character", () => {
    const plain = fc.stringMatching(/^[a-z ./-]{0,20}$/);
    fc.assert(
      fc.property(plain, fc.constantFrom(...dangerous), plain, (before, character, after) => {
        expect(plainWords(`npm test ${before}${character}${after}x`)).toBeNull();
      }),
    );
  });

  it("returns the quoted words", () => {
    const word = fc.stringMatching(/^[a-z0-9 ;&|<>(){}$`"#!*?-]{1,20}$/);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const line = ["run", ...words.map((each) => `'${each}'`)].join(" ");
        expect(plainWords(line)).toEqual(["run", ...words]);
      }),
    );
  });

  it("never throws, and takes linear time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (line) => {
        plainWords(line);
      }),
    );
    const long = `npm test ${"'a' \"b\" c ".repeat(100_000)}`;
    expect(plainWords(long)?.length).toBe(300_002);
  });

  it("is written so that it parses to the same words, or not at all", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 5 }),
        (words) => {
          const text = joinWords(words);
          expect(text === null || plainWords(text)).toEqual(text === null || words);
        },
      ),
    );
    expect(joinWords(["npm", "run", "a b"])).toBe("npm run 'a b'");
    expect(joinWords(["a;b"])).toBe("'a;b'");
    expect(joinWords(["a\\b"])).toBeNull();
  });
});
