import { matchesWildcards } from "@landline/system/wildcards";

/** Matches names against one segment of a glob, in time proportional to at most the product of both lengths. */
export interface GlobMatcher {
  test(name: string): boolean;
}

const anyRun = Symbol("any run of characters");
const anyOne = Symbol("any character");

const ascii = /^[\0-\x7F]*$/;

/**
 * Matches every name that any program matches with this glob, and possibly more. Programs differ in sets, braces,
 * backslashes, case, and in `?` for multi-byte characters.
 */
export function globMatcher(glob: string): GlobMatcher {
  const plain = glob.replaceAll(/\[[A-Za-z\d]+\]/g, "?");
  return /[[\]{}\\]/.test(plain) ? shellGlobMatcher(glob) : shellGlobMatcher(plain);
}

/** The same for a word of a line, whose text does not show which characters were quoted. */
export function shellGlobMatcher(glob: string): GlobMatcher {
  const start = glob.search(/[[{\\\x80-\uFFFF]/);
  if (start === -1) return matcherOf(plainTokens(glob));
  // Any text is accepted between the first and the last ambiguous character.
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

/** Matches only names that every program matches with this glob. */
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
