/** A piece longer than this is of no use to anybody; its start is dropped. */
const longestPiece = 64 * 1_024;

/** Cuts output into pieces at an ASCII character, however it came; the last one must end in it too. */
export function splitter(
  separator: "\n" | "\0",
  onPiece: (piece: Buffer) => "stop" | void,
): (chunk: Buffer) => "stop" | void {
  const end = separator.charCodeAt(0);
  let pending: Buffer[] = [];
  let pendingLength = 0;
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(end); at !== -1; at = chunk.indexOf(end, from)) {
      const piece = Buffer.concat([...pending, chunk.subarray(from, at)]);
      pending = [];
      pendingLength = 0;
      from = at + 1;
      if (onPiece(piece) === "stop") return "stop";
    }
    if (from === chunk.length) return undefined;
    if (pendingLength > longestPiece) {
      pending = [];
      pendingLength = 0;
    }
    pending.push(chunk.subarray(from));
    pendingLength += chunk.length - from;
    return undefined;
  };
}
