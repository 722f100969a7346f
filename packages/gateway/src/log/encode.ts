import { LandlineError } from "@landline/protocol";
import type { EventDraft } from "./log.ts";

/** The part of an event that comes before the agent's own bytes: number, time, kind. */
function opening(seq: number, at: number, kind: string): string {
  return `{"seq":${seq},"at":${at},"kind":"${kind}"`;
}

/** One line of the log, without its line feed. An update is spliced in as text: never parsed, never stringified. */
export function encodeDraft(seq: number, at: number, draft: EventDraft): string {
  if ("raw" in draft) {
    if (draft.raw.includes("\n")) {
      throw new LandlineError("internal-error", {
        message: "An update with a line break can't be a line of the log.",
      });
    }
    const child = draft.child === undefined ? "" : `,"child":${JSON.stringify(draft.child)}`;
    return `${opening(seq, at, "update")}${child},"update":${draft.raw}}`;
  }
  const { kind, ...fields } = draft;
  const rest = JSON.stringify(fields);
  return rest === "{}"
    ? `${opening(seq, at, kind)}}`
    : `${opening(seq, at, kind)},${rest.slice(1)}`;
}

/** The number that a line of the log starts with, or -1 when it starts with anything else. */
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
