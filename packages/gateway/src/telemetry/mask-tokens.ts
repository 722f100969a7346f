/**
 * Masks the gateway's own tokens in everything it stores or sends: events, terminal output, logs and exports. Generated
 * tokens have a fixed format; LANDLINE_TOKEN is matched by its text. Works on plain text and on JSON.
 */
const boundary = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\[[0-9;]{0,20}m)|(?<=%[0-9A-Fa-f]{2}))`;

const shape = new RegExp(String.raw`${boundary}ll_(?=[\w-]{0,42}[A-Z])[\w-]{43,}`, "g");

/** A partial token at the end of a text. */
const shapeBeginning = new RegExp(String.raw`${boundary}ll?(?:(?<=ll)_[\w-]{0,42})?$`);

const TOKEN_LENGTH = 46;

/** Enough for `shapeBeginning`: a token and the characters that `boundary` checks. */
const BEGINNING_LENGTH = 80;

const start = "ll_";

export const maskedToken = "ll_[masked]";

/** Additional texts to mask, plain and JSON-encoded. */
const fixedTexts = new Map<string, number>();

/** Shorter texts would match ordinary words. */
const FIXED_LENGTH = 8;

/** Masks this text until the returned object is disposed. */
export function hideToken(text: string): Disposable {
  if (text.length < FIXED_LENGTH) return { [Symbol.dispose]: () => {} };
  const forms = new Set([text, JSON.stringify(text).slice(1, -1)]);
  for (const form of forms) fixedTexts.set(form, (fixedTexts.get(form) ?? 0) + 1);
  let isHidden = true;
  return {
    [Symbol.dispose]: () => {
      if (!isHidden) return;
      isHidden = false;
      for (const form of forms) {
        const left = (fixedTexts.get(form) ?? 1) - 1;
        if (left === 0) fixedTexts.delete(form);
        else fixedTexts.set(form, left);
      }
    },
  };
}

/** Returns the same string if there is nothing to mask. */
export function maskOwnTokens(text: string): string {
  let kept = text.includes(start) ? text.replace(shape, maskedToken) : text;
  for (const fixed of fixedTexts.keys())
    if (kept.includes(fixed)) kept = kept.replaceAll(fixed, maskedToken);
  return kept;
}

/** The number of characters at the end that may be a partial token. */
export function tokenBeginning(text: string): number {
  return Math.max(ownBeginning(text), ...[...fixedBeginnings(text)].map(({ length }) => length));
}

/**
 * The positions, from left to right, of tokens that extend beyond the first `known` characters. `isOpen`: further
 * characters would belong to the token too.
 */
export function tokenSpans(text: string, known: number): TokenSpan[] {
  const spans: TokenSpan[] = [];
  if (text.includes(start)) {
    const own = new RegExp(shape, "g");
    own.lastIndex = Math.max(0, known - TOKEN_LENGTH);
    for (const { index, 0: found } of text.matchAll(own)) {
      const end = index + found.length;
      spans.push({ start: index, end, isOpen: end === text.length });
    }
  }
  for (const fixed of fixedTexts.keys()) {
    for (let at = text.indexOf(fixed); at !== -1; at = text.indexOf(fixed, at + fixed.length)) {
      const end = at + fixed.length;
      if (!spans.some((span) => span.start < end && at < span.end))
        spans.push({ start: at, end, isOpen: false });
    }
  }
  return spans.sort((one, other) => one.start - other.start);
}

export interface TokenSpan {
  readonly start: number;
  readonly end: number;
  readonly isOpen: boolean;
}

/**
 * The part of a partial token that can be shown before the rest is known: `ll_`, or the first quarter of a fixed text,
 * because these may be ordinary words. Undefined if the text does not end in a partial token.
 */
export function shownLength(text: string): number | undefined {
  let shown: number | undefined;
  const own = ownBeginning(text);
  if (own > 0) shown = text.length - own + Math.min(own, start.length);
  for (const { length, fixed } of fixedBeginnings(text)) {
    const free = Math.min(length, Math.floor(fixed.length / 4));
    shown = Math.min(shown ?? text.length, text.length - length + free);
  }
  return shown;
}

/** Quick test whether a text may end in a token or a partial token. */
export function mayEndInToken(text: string): boolean {
  if (text.endsWith("l") || text.includes(start, text.length - TOKEN_LENGTH)) return true;
  return fixedTexts.size > 0 && fixedBeginnings(text).next().done !== true;
}

/** How many characters of a text are needed to recognize a token that began in it. */
export function contextLength(): number {
  let longest = BEGINNING_LENGTH;
  for (const fixed of fixedTexts.keys()) longest = Math.max(longest, fixed.length);
  return longest;
}

/** The number of characters at the end that may be a partial generated token. */
function ownBeginning(text: string): number {
  if (!text.endsWith("l") && !text.includes(start, text.length - TOKEN_LENGTH)) return 0;
  return shapeBeginning.exec(text.slice(-BEGINNING_LENGTH))?.[0].length ?? 0;
}

/** For each fixed text, the longest partial match at the end. */
function* fixedBeginnings(text: string): Generator<{ length: number; fixed: string }> {
  for (const fixed of fixedTexts.keys()) {
    const first = fixed.charAt(0);
    const from = Math.max(0, text.length - fixed.length + 1);
    for (let at = text.indexOf(first, from); at !== -1; at = text.indexOf(first, at + 1)) {
      if (!fixed.startsWith(text.slice(at))) continue;
      yield { length: text.length - at, fixed };
      break;
    }
  }
}
