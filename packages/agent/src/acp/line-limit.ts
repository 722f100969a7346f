import { Buffer } from "node:buffer";
import { LineSplitter, type OversizedLine } from "@landline/system/line-splitter";

/**
 * Passes on lines of up to `maxBytes` that `accept` accepts. A longer line is dropped as it arrives and never
 * buffered; at its end `onLong` may return a line to pass on instead.
 */
export function lineLimit(
  maxBytes: number,
  onLong: (line: OversizedLine) => string | null,
  accept: (line: string) => boolean,
): TransformStream<Uint8Array, Uint8Array> {
  const lines: string[] = [];
  const append = (line: string) => {
    if (accept(line)) lines.push(line);
  };
  const splitter = new LineSplitter(maxBytes, {
    line: append,
    invalidLine: append,
    oversizedLine(line) {
      const instead = onLong(line);
      if (instead !== null) append(instead);
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
