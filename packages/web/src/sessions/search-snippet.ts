import type { SearchHit, Snippet } from "@landline/client";

/** Markdown marks that are noise in one line of text. */
const signs = /`+|\*\*|__/gu;

/** Removes Markdown marks from a snippet and adjusts its highlights. */
export function plainSnippet({ text, marks }: Snippet): Snippet {
  const cuts = [...text.matchAll(signs)].map(({ 0: sign, index }) => ({
    from: index,
    to: index + sign.length,
  }));
  if (cuts.length === 0) return { text, marks };
  const place = (at: number) =>
    cuts.reduce((left, { from, to }) => left - Math.max(0, Math.min(at, to) - from), at);
  return {
    text: text.replaceAll(signs, ""),
    marks: marks
      .map(([from, to]) => [place(from), place(to)] as const)
      .filter(([from, to]) => to > from),
  };
}

export interface FoundSession {
  readonly sessionId: string;
  readonly hits: readonly SearchHit[];
}

/** Groups hits by session; sessions and hits are in the order of rank. */
export function hitsBySession(hits: readonly SearchHit[]): readonly FoundSession[] {
  const found = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const known = found.get(hit.sessionId);
    if (known) known.push(hit);
    else found.set(hit.sessionId, [hit]);
  }
  return [...found].map(([sessionId, own]) => ({ sessionId, hits: own }));
}
