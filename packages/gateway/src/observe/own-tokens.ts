/**
 * Tokens of ours, masked wherever text leaves the gateway or is kept: in events, terminal output, logs and exports. All
 * that the gateway makes have one shape; the one of LANDLINE_TOKEN is known by its text. Works on plain text and on JSON,
 * where a line break is the two characters before the token.
 */
const shape =
  /(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\[[0-9;]{0,20}m)|(?<=%[0-9A-Fa-f]{2}))ll_(?=[\w-]{0,42}[A-Z])[\w-]{43,}/g;

const start = "ll_";

export const maskedToken = "ll_[masked]";

/** The texts that are hidden besides, as they are and as JSON has them. */
const fixedTexts = new Map<string, number>();

/** Shorter ones would hide half of what is said. */
const FIXED_LENGTH = 8;

/** Hides this text from now on, until it is disposed. */
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

/** The same string when there is nothing to hide. */
export function maskOwnTokens(text: string): string {
  let kept = text.includes(start) ? text.replace(shape, maskedToken) : text;
  for (const fixed of fixedTexts.keys())
    if (kept.includes(fixed)) kept = kept.replaceAll(fixed, maskedToken);
  return kept;
}

/** How many characters at the end may be the beginning of a token that is not all there yet. */
export function tokenBeginning(text: string): number {
  const own = /(?:l|ll|ll_[\w-]{0,42})$/.exec(text.slice(-46))?.[0].length ?? 0;
  let longest = own;
  for (const fixed of fixedTexts.keys()) {
    for (let length = Math.min(fixed.length - 1, text.length); length > longest; length--) {
      if (!text.endsWith(fixed.slice(0, length))) continue;
      longest = length;
      break;
    }
  }
  return longest;
}
