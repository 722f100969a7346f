/**
 * The text of the last bytes of an output, at most `maxBytes` of UTF-8. A character that was cut at the front
 * is left out; one that is not complete at the end waits for its rest, unless the output is over.
 * What is no UTF-8 stands as U+FFFD.
 */
export function textOfTail(
  bytes: Uint8Array,
  maxBytes: number,
  state: { readonly cut: boolean; readonly ended: boolean },
): { readonly text: string; readonly cut: boolean } {
  const from = state.cut ? characterStart(bytes, 0) : 0;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(bytes.subarray(from), { stream: !state.ended });
  if (Buffer.byteLength(text) <= maxBytes) return { text, cut: state.cut };
  // Each byte that is no UTF-8 became three.
  const encoded = Buffer.from(text);
  const start = characterStart(encoded, encoded.length - maxBytes);
  return { text: encoded.subarray(start).toString("utf8"), cut: true };
}

/** The first place from there that is not inside a character; a character has at most three more bytes. */
function characterStart(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && at < from + 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
