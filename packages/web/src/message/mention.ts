import type { Block } from "@landline/protocol";

/** A file that the text names with `@`; it is sent as a resource link. */
export interface Mention {
  /** As in the text, without the `@`. */
  readonly name: string;
  readonly path: string;
}

export interface Segment {
  /** The offset in the text. */
  readonly from: number;
  readonly text: string;
  readonly isMention: boolean;
}

/** The mentions that are still in the text, in order, each once. */
export function mentionsIn(text: string, mentions: readonly Mention[]): readonly Mention[] {
  const names = segmentsOf(text, mentions).flatMap((segment) =>
    segment.isMention ? [segment.text.slice(1)] : [],
  );
  return [...new Set(names)].flatMap(
    (name) => mentions.findLast((mention) => mention.name === name) ?? [],
  );
}

/** Keeps the mentions whose relative path still resolves to the same file. */
export function mentionsFrom(folder: string, mentions: readonly Mention[]): readonly Mention[] {
  const root = folder.endsWith("/") ? folder : `${folder}/`;
  return mentions.filter(({ name, path }) => path === name || path.startsWith(root));
}

/** Splits the text into plain segments and mentions. The joined segments equal the text. */
export function segmentsOf(text: string, mentions: readonly Mention[]): readonly Segment[] {
  // Longest first: `@src/main.ts` is not a mention of `@src`.
  const tokens = mentions.map(({ name }) => `@${name}`).toSorted((a, b) => b.length - a.length);
  const segments: Segment[] = [];
  let plainFrom = 0;
  const plain = (to: number): Segment => ({
    from: plainFrom,
    text: text.slice(plainFrom, to),
    isMention: false,
  });
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at)) {
    const token = tokens.find((one) => text.startsWith(one, at));
    if (token === undefined) {
      at += 1;
      continue;
    }
    if (at > plainFrom) segments.push(plain(at));
    segments.push({ from: at, text: token, isMention: true });
    at += token.length;
    plainFrom = at;
  }
  if (plainFrom < text.length) segments.push(plain(text.length));
  return segments;
}

export function linkTo({ name, path }: Mention): Block {
  return { type: "resource_link", name, uri: fileUri(path) };
}

/** Accepts `/a b` and `C:\a b`. */
export function fileUri(path: string): string {
  const steps = path.replaceAll("\\", "/").split("/");
  const encoded = steps.map((step, position) =>
    position === 0 && /^[A-Za-z]:$/.test(step) ? step : encodeURIComponent(step),
  );
  const joined = encoded.join("/");
  return `file://${joined.startsWith("/") ? "" : "/"}${joined}`;
}
