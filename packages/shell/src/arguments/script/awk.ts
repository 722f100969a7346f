import type { Word } from "../../parse/word.ts";
import type { Recorder } from "../recorder.ts";
import { endsOutsideOfBrackets } from "./regex-brackets.ts";

const names = new Set(
  (
    "BEGIN END if else while for do in next nextfile exit break continue delete return print printf " +
    "NR NF FNR FS OFS RS ORS FILENAME RSTART RLENGTH SUBSEP IGNORECASE length substr index split sub gsub gensub " +
    "match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper strftime systime asort asorti"
  ).split(" "),
);

// A name directly after a number is a separate token: `1system("x")` calls a function.
const token =
  /\s+|#[^\n\\]*|"(?:\\[^]|[^"\\\n])*"|\d+(?:\.\d*)?(?![\w.])|[A-Za-z_]\w*|\+\+|--|&&|\|\||[-+*%^<=!]=?|==|~|[$(){}[\],;:?]/y;

/**
 * Accepts programs made of known names, operators and literals. There is no token for `|`, `>>`, `getline`, `system` or
 * `@`, so a program that redirects, pipes or loads makes the command unknown.
 */
export function readAwk(word: Word, record: Recorder): void {
  if (word.known !== "fixed") return record.fail("its awk program is not known before it runs");
  if (!isHarmless(word.text))
    record.fail("its awk program may write files, read variables or run commands");
}

function isHarmless(text: string): boolean {
  let at = 0;
  let before = "\n";
  const open: string[] = [];
  /** Whether a `print` is inside parentheses, which is possible only in a loop (`for (print;;)`). */
  let hasPrint = false;
  while (at < text.length) {
    const isCompared = !open.includes("{") || (open.at(-1) === "(" && !hasPrint);
    const found =
      isCompared && text[at] === ">" ? comparisonAt(text, at) : tokenAt(text, at, before);
    if (found === null) return false;
    if (open.at(-1) === "(" && /^printf?$/.test(found)) hasPrint = true;
    if (found === "(" || found === "{") open.push(found);
    if (found === ")" && open.pop() !== "(") return false;
    if (found === "}" && open.pop() !== "{") return false;
    if (/^[A-Za-z_]/.test(found) && !isHarmlessName(found, text.slice(at + found.length)))
      return false;
    if (found.includes("\n")) before = "\n";
    else if (found.trim() !== "") before = found;
    at += found.length;
  }
  return open.length === 0;
}

/** Words that run or open something in some awk, and those after which a slash begins a regular expression. */
const refused = /^(?:getline|system|close|fflush|func|function|switch|case|default|namespace)$/;

/** Any other name is a variable, unless it is called as a function. */
function isHarmlessName(name: string, after: string): boolean {
  if (names.has(name)) return true;
  return !/^[A-Z]/.test(name) && !refused.test(name) && !/^\s*\(/.test(after);
}

/** Only `print` writes to files, so `>` is a comparison in brackets and outside actions. */
function comparisonAt(text: string, at: number): string | null {
  return /^>(?:=|(?!>))/.exec(text.slice(at, at + 2))?.[0] ?? null;
}

function tokenAt(text: string, at: number, before: string): string | null {
  if (text[at] !== "/") {
    token.lastIndex = at;
    return token.exec(text)?.[0] ?? null;
  }
  // After a regular expression, a slash divides in some awks.
  if (before.startsWith("/") && before.length > 1) return null;
  // After these, a slash divides or begins a regular expression. It can only divide when no other slash follows.
  if (/^(?:\)|\+\+|--|length|srand)$/.test(before)) return text.includes("/", at + 1) ? null : "/";
  if (endsValue.test(before) && !keywords.has(before)) return "/";
  return patternAt(text, at);
}

/** The end of a value, after which a slash divides. */
const endsValue = /^(?:[A-Za-z_]\w*|\d[\d.]*|".*"|\])$/s;

/** Names after which a value begins. */
const keywords = new Set(
  "BEGIN END if else while for do in next nextfile exit break continue delete return print printf".split(
    " ",
  ),
);

/** A regular expression whose final slash is outside brackets in every awk. */
function patternAt(text: string, at: number): string | null {
  const pattern = /\/(?:\\[^\n]|[^\\/\n])+\//y;
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0];
  return found !== undefined && endsOutsideOfBrackets(found.slice(1, -1)) ? found : null;
}
