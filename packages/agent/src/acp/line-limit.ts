import { Buffer } from "node:buffer";
import { LineSplitter, type OversizedLine } from "@landline/system/line-splitter";

/**
 * Passes lines of up to `maxBytes` on. A longer one is dropped while it comes and never held; when it ends, `onLong` may
 * put another line in its place.
 */
export function lineLimit(
  maxBytes: number,
  onLong: (line: OversizedLine) => string | null,
): TransformStream<Uint8Array, Uint8Array> {
  const lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const splitter = new LineSplitter(maxBytes, {
    line: keep,
    invalidLine: keep,
    oversizedLine(line) {
      const instead = onLong(line);
      if (instead !== null) keep(instead);
    },
  });
  const passOn = (controller: TransformStreamDefaultController<Uint8Array>) => {
    for (const line of lines.splice(0)) controller.enqueue(Buffer.from(`${line}\n`));
  };
  return new TransformStream({
    transform({ buffer, byteOffset, length }, controller) {
      splitter.push(Buffer.from(buffer, byteOffset, length));
      passOn(controller);
    },
    flush(controller) {
      splitter.end();
      passOn(controller);
    },
  });
}
