import { Buffer } from "node:buffer";

/** The two ends of a line that was too long: enough to answer what stands in it. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

const LINE_FEED = 10;
const KEPT_BYTES = 2_048;

/**
 * Passes lines of up to `maxBytes` on as they are. A longer one is dropped while it comes and never held; when it
 * ends, `onLong` may put another line in its place.
 */
export function lineLimit(
  maxBytes: number,
  onLong: (line: LongLine) => string | null,
): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  const end = (controller: TransformStreamDefaultController<Uint8Array>) => {
    const pieces = held;
    const isLong = bytes > maxBytes;
    held = [];
    bytes = 0;
    if (!isLong) {
      for (const piece of pieces) controller.enqueue(piece);
      return;
    }
    const ends = Buffer.concat(pieces);
    const head = ends.subarray(0, KEPT_BYTES).toString();
    const instead = onLong({ head, tail: ends.subarray(-KEPT_BYTES).toString() });
    if (instead !== null) controller.enqueue(Buffer.from(`${instead}\n`));
  };
  const hold = (piece: Uint8Array) => {
    held.push(piece);
    bytes += piece.length;
    if (bytes <= maxBytes) return;
    const all = Buffer.concat(held);
    held = [Buffer.from(all.subarray(0, KEPT_BYTES)), Buffer.from(all.subarray(-KEPT_BYTES))];
  };
  return new TransformStream({
    transform(chunk, controller) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        hold(chunk.subarray(from, at + 1));
        end(controller);
        from = at + 1;
      }
      if (from < chunk.length) hold(chunk.subarray(from));
    },
    flush: end,
  });
}

/** What a line was, as far as its ends tell; null when nobody waits for an answer to it. */
export function readEnds({
  head,
  tail,
}: LongLine): { type: "request" | "response"; id: string | number } | null {
  const found = idFirst.exec(head)?.[1] ?? idLast.exec(tail)?.[1];
  if (found === undefined) return null;
  const id = JSON.parse(found) as string | number;
  if (method.test(head) || method.test(tail)) return { type: "request", id };
  return answer.test(head) ? { type: "response", id } : null;
}

const idFirst =
  /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*,)*\s*"id"\s*:\s*("(?:[^"\\]|\\.){0,1024}"|-?\d{1,15})\s*,/u;
const idLast = /,\s*"id"\s*:\s*("(?:[^"\\]|\\.){0,1024}"|-?\d{1,15})\s*\}\s*$/u;
const method = /[{,]\s*"method"\s*:\s*"[^"]*"\s*[,}]/u;
const answer = /[{,]\s*"(?:result|error)"\s*:/u;
