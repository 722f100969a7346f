/** A piece of text; `name` is set for a single invisible character. */
export interface VisiblePart {
  readonly text: string;
  readonly name: string | null;
}

/**
 * Controls except tab and newline, direction marks, and zero-width characters except joiners, which scripts and
 * emoji need. In code they can make a line look different from what runs.
 */
const hidden = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** In prose only the marks that reorder text; the others are legitimate there. */
const turning = /[\u202a-\u202e\u2066-\u2069]/gu;

/** Null if there are none, which is the usual case. */
export function splitAtInvisible(text: string, isProse = false): VisiblePart[] | null {
  const pattern = isProse ? turning : hidden;
  if (text.search(pattern) === -1) return null;
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), name: null });
    parts.push({ text: match[0], name: nameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), name: null });
  return parts;
}

function nameOf(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `U+${number.toString(16).toUpperCase().padStart(4, "0")}`;
}
