/** How a program finds the end of a bracket expression. Programs differ in each of these. */
interface BracketRules {
  /** `]` directly after the start, or after `^`, is a character of the set. */
  readonly isFirstPlain: boolean;
  /** `[:alpha:]`, `[.x.]` and `[=x=]` are parts of the set. */
  readonly hasClasses: boolean;
  /** A backslash in the set escapes the next character. */
  readonly hasEscapes: boolean;
  /** Each `[` in the set opens a nested one. */
  readonly isNested: boolean;
}

const both = [false, true];
const allRules: readonly BracketRules[] = both.flatMap((isFirstPlain) =>
  both.flatMap((hasClasses) =>
    both.flatMap((hasEscapes) =>
      both.map((isNested) => ({ isFirstPlain, hasClasses, hasEscapes, isNested })),
    ),
  ),
);

/**
 * Whether all programs agree that no bracket expression is open at the end of the text between two delimiters, so that
 * the second delimiter ends the regular expression.
 */
export function endsOutsideOfBrackets(expression: string): boolean {
  return allRules.every((rules) => openBrackets(expression, rules) === 0);
}

function openBrackets(text: string, rules: BracketRules): number {
  let open = 0;
  let at = 0;
  while (at < text.length) {
    const sign = text[at];
    const isSet = open > 0;
    if (sign === "\\" && (!isSet || rules.hasEscapes)) at += 2;
    else if (sign === "[" && !isSet) {
      open = 1;
      at += 1;
      if (text[at] === "^") at += 1;
      if (rules.isFirstPlain && text[at] === "]") at += 1;
    } else if (sign === "[") {
      const end = rules.hasClasses ? classEnd(text, at) : null;
      if (end === null && rules.isNested) open += 1;
      at = end ?? at + 1;
    } else {
      if (sign === "]" && isSet) open -= 1;
      at += 1;
    }
  }
  return open;
}

/**
 * The end of a class such as `[:alpha:]` that begins here; the end of the text if it is not closed. Null if none
 * begins.
 */
function classEnd(text: string, at: number): number | null {
  const sign = text[at + 1] ?? "";
  if (!/[:.=]/.test(sign)) return null;
  const end = text.indexOf(`${sign}]`, at + 2);
  return end === -1 ? text.length : end + 2;
}
