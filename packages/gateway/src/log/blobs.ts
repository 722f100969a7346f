import { endOfString, skipSpace } from "@landline/protocol";

/**
 * Long strings are kept once, by hash, beside the log. The line keeps a reference in their place:
 * `{"$blob":"<sha256>","bytes":n}`. Only values are replaced, never names of fields, and all other
 * bytes of the line stay as they came. Strings are found by scanning the text, so the cost is linear
 * and a deeply nested message can't overflow a stack.
 */
export interface Blobs {
  /** Keeps the text and returns its hash. Kept already: nothing is written. */
  put(text: Buffer): string;
}

export function moveLongStrings(line: string, longestBytes: number, blobs: Blobs): string {
  if (line.length <= longestBytes) return line;
  const parts: string[] = [];
  let copied = 0;
  let from = line.indexOf('"');
  while (from !== -1) {
    const to = endOfString(line, from);
    if (to - from > longestBytes && line[skipSpace(line, to)] !== ":") {
      const text = Buffer.from(JSON.parse(line.slice(from, to)) as string);
      if (text.length > longestBytes) {
        const reference = JSON.stringify({ $blob: blobs.put(text), bytes: text.length });
        parts.push(line.slice(copied, from), reference);
        copied = to;
      }
    }
    from = line.indexOf('"', to);
  }
  return parts.length === 0 ? line : parts.join("") + line.slice(copied);
}
