import { endOfString, skipSpace } from "@landline/protocol";

/**
 * Long strings are stored once, by hash, beside the log; the line holds `{"$blob":"<sha256>","bytes":n}` instead. Only
 * values are replaced, never field names. Scanning the text is linear and can't overflow the stack on deep nesting.
 */
export interface Blobs {
  /** Stores the text, unless it is stored already, and returns its hash. */
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
