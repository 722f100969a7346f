import { createHash } from "node:crypto";
import { fileLimits } from "../limits.ts";
import { FileProblem } from "./workspace.ts";

const byteOrderMark = "\uFEFF";

export interface MarkedText {
  text: string;
  bom: boolean;
}

/**
 * The text of a file's bytes. What is no UTF-8 is refused and not shown with replacement characters,
 * because writing those back would destroy it.
 */
export function textOfBytes(bytes: Uint8Array, path: string): MarkedText {
  refuseBinary(bytes, path);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return takeMark(decoder.decode(bytes));
  } catch (error) {
    throw new FileProblem(
      "binary-file",
      path,
      `${path} is not UTF-8 text. Convert a copy with a command (iconv) to read it.`,
      { cause: error },
    );
  }
}

/** Without an empty line after the last line feed. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Tells whether two texts are the same without keeping either. */
export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Takes the byte-order mark off, and notes it. */
export function takeMark(text: string): MarkedText {
  const bom = text.startsWith(byteOrderMark);
  return { text: bom ? text.slice(byteOrderMark.length) : text, bom };
}

export function withMark(text: string, bom: boolean | undefined): string {
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
