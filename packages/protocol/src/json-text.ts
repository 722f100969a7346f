/**
 * Returns the source text of one value in a JSON text, without parsing, so that an agent's bytes can be passed on
 * unchanged (large numbers, whitespace). The text must be valid JSON. As in `JSON.parse`, the last of two equal names
 * wins.
 */
export function textOfMember(text: string, names: readonly string[]): string | null {
  const place = placeOfMember(text, names);
  return place && text.slice(place.start, place.end);
}

/** Replaces the value of one member and keeps all other bytes; null when there is no such member. */
export function replaceMember(text: string, names: readonly string[], by: string): string | null {
  const place = placeOfMember(text, names);
  return place && text.slice(0, place.start) + by + text.slice(place.end);
}

function placeOfMember(text: string, names: readonly string[]): Span | null {
  let place: Span | null = { start: 0, end: text.length };
  for (const name of names) {
    place = place && memberOf(text, place, name);
  }
  return place;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function memberOf(text: string, object: Span, name: string): Span | null {
  let at = skipSpace(text, object.start);
  if (text[at] !== "{") return null;
  let found: Span | null = null;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    if (key === name) found = { start, end };
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  const opening = text[start];
  if (opening === '"') return endOfString(text, start);
  if (opening !== "{" && opening !== "[") {
    const rest = /[,\]}\s]/g;
    rest.lastIndex = start;
    return rest.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  let at = start;
  for (;;) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else {
      if (character === "{" || character === "[") depth++;
      else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
      at++;
    }
  }
}

/** The position after the closing quote of the string at `start`. */
export function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

/** Whether the character at `at` has an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}

/** The first position from `from` on that is not white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t" || text[at] === "\r" || text[at] === "\n") at++;
  return at;
}

/** Whether the text contains a NUL, which JSON can only write as `\u0000` in a string. */
export function hasNul(text: string): boolean {
  let at = text.indexOf("\\u0000");
  while (at !== -1) {
    if (!isEscaped(text, at)) return true;
    at = text.indexOf("\\u0000", at + 1);
  }
  return false;
}
