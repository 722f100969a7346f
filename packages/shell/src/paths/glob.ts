import { matchesWildcards } from "@landline/system/wildcards";

/** A test of names against one part of a glob; its time is at most the product of both lengths. */
export interface GlobMatcher {
  test(name: string): boolean;
}

const anyRun = Symbol("any run of characters");
const anyOne = Symbol("any character");

const ascii = /^[\0-\x7F]*$/;

/**
 * A test that is true of every name that some program takes this glob for, and of others: what is looked for must not be
 * missed. Programs differ in sets, braces, backslashes, case and in what `?` is where a character has several bytes.
 */
export function globMatcher(glob: string): GlobMatcher {
  const plain = glob.replaceAll(/\[[A-Za-z\d]+\]/g, "?");
  return /[[\]{}\\]/.test(plain) ? shellGlobMatcher(glob) : shellGlobMatcher(plain);
}

/** The same for a word of a line, whose text does not tell which of its characters are quoted. */
export function shellGlobMatcher(glob: string): GlobMatcher {
  const start = glob.search(/[[{\\\x80-\uFFFF]/);
  if (start === -1) return matcherOf(plainTokens(glob));
  // Between the first and the last character that is read differently, anything may stand.
  const [end = ""] = /[^[\]{}\\\x80-\uFFFF]*$/.exec(glob) ?? [];
  const isEscaped = glob.at(-end.length - 1) === "\\";
  const tail = isEscaped ? end.slice(1) : end;
  return matcherOf([...plainTokens(glob.slice(0, start)), anyRun, ...plainTokens(tail)]);
}

function matcherOf(tokens: readonly (string | symbol)[]): GlobMatcher {
  return { test: (name) => !ascii.test(name) || matches(tokens, name.toLowerCase()) };
}

function plainTokens(glob: string): (string | symbol)[] {
  return Array.from(glob.toLowerCase(), (character) => {
    if (character === "*") return anyRun;
    return character === "?" ? anyOne : character;
  });
}

/** A test that is true only of names that every program takes this glob for. */
export function certainGlobMatcher(glob: string): GlobMatcher {
  if (!/[*?[\]{}\\\uFFFD]/.test(glob)) return { test: (name) => name === glob };
  if (!/^[\w .*?@%+=:,~-]*$/.test(glob) || /[A-Z]/.test(glob)) return { test: () => false };
  const tokens = plainTokens(glob);
  return { test: (name) => ascii.test(name) && !/[A-Z]/.test(name) && matches(tokens, name) };
}

function matches(tokens: readonly (string | symbol)[], name: string): boolean {
  return matchesWildcards(
    tokens.length,
    name.length,
    (part) => tokens[part] === anyRun,
    (part, item) => tokens[part] === anyOne || tokens[part] === name[item],
  );
}
