import { LandlineError, type EventBody } from "@landline/protocol";
import type { UpdateDraft } from "./log.ts";

/** The start of an event's line: sequence number, time and kind. `kindOfLine` (log-lines.ts) reads it. */
function opening(seq: number, at: number, kind: string): string {
  return `{"seq":${seq},"at":${at},"kind":"${kind}"`;
}

/** One event as a line of the log, without its line feed. */
export function encodeEvent(seq: number, at: number, { kind, ...fields }: EventBody): string {
  const rest = JSON.stringify(fields);
  return rest === "{}"
    ? `${opening(seq, at, kind)}}`
    : `${opening(seq, at, kind)},${rest.slice(1)}`;
}

/** The line before the agent's own text of an update, which is copied unparsed. The caller adds `}` after the text. */
export function updateOpening(seq: number, at: number, { raw, child }: UpdateDraft): string {
  if (raw.includes("\n")) {
    throw new LandlineError("internal-error", {
      message: "An update must not contain a line break.",
    });
  }
  const inner = child === undefined ? "" : `,"child":${JSON.stringify(child)}`;
  return `${opening(seq, at, "update")}${inner},"update":`;
}

/** The sequence number at the start of a line of the log, or -1 if the line does not start with one. */
export function lineNumber(bytes: Buffer, start: number): number {
  for (let index = 0; index < prefix.length; index++) {
    if (bytes[start + index] !== prefix[index]) return -1;
  }
  let seq = 0;
  for (let at = start + prefix.length; at < bytes.length; at++) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) return bytes[at] === COMMA && seq > 0 ? seq : -1;
    seq = seq * 10 + digit;
  }
  return -1;
}

const prefix = Buffer.from('{"seq":');
const COMMA = 44;
