import { createHash } from "node:crypto";
import { fileLimits } from "../limits.ts";
import { FileProblem } from "./workspace.ts";

const byteOrderMark = "\uFEFF";

export interface MarkedText {
  text: string;
  bom: boolean;
}

/** Decodes a file. Invalid UTF-8 is refused, because writing replacement characters back would destroy it. */
export function textOfBytes(bytes: Uint8Array, path: string): MarkedText {
  refuseBinary(bytes, path);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return splitByteOrderMark(decoder.decode(bytes));
  } catch (error) {
    throw new FileProblem(
      "binary-file",
      path,
      `${path} is not UTF-8 text. Convert a copy with a command (iconv) to read it.`,
      { cause: error },
    );
  }
}

/** A final line feed does not start another line. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** To compare texts without storing them. */
export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Removes and reports the byte-order mark. */
export function splitByteOrderMark(text: string): MarkedText {
  const bom = text.startsWith(byteOrderMark);
  return { text: bom ? text.slice(byteOrderMark.length) : text, bom };
}

export function withByteOrderMark(text: string, bom: boolean | undefined): string {
  return bom === true ? byteOrderMark + text : text;
}

export function refuseBinary(bytes: Uint8Array, path: string): void {
  if (bytes.subarray(0, fileLimits.sniffedBytes).includes(0)) throw binaryFile(path);
}

export function binaryFile(path: string): FileProblem {
  return new FileProblem("binary-file", path, `${path} holds binary data, not text.`);
}

export function fileTooLarge(path: string, size: number, maxBytes: number): FileProblem {
  return new FileProblem(
    "file-too-large",
    path,
    `${path} has ${size} bytes, and at most ${maxBytes} are read. Search in it, or read a part with a command (head, sed -n).`,
  );
}
