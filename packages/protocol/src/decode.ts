import { wrongField } from "./decode/fields.ts";
import { LandlineError } from "./errors.ts";
import type { Numbered, SessionEvent } from "./events.ts";
import { isRecord } from "./record.ts";

/** An event of a kind that this version does not know. It is kept and folded as unknown. */
export interface UnknownEvent extends Numbered {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/**
 * Decodes one event of a log. Unknown kinds and fields are kept. A broken envelope, or a known kind with a field of
 * the wrong type, throws `log-damaged` with the name of the field.
 */
export function decodeEvent(value: unknown): SessionEvent | UnknownEvent {
  if (!isRecord(value)) throw damaged("An event is not an object.");
  const { seq, at, kind } = value;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1) {
    throw damaged('An event has no number: "seq" must be a whole number from 1.');
  }
  if (typeof at !== "number" || !Number.isFinite(at)) {
    throw damaged(`Event ${seq} has no time: "at" must be a number of milliseconds.`, seq);
  }
  if (typeof kind !== "string") {
    throw damaged(`Event ${seq} has no kind: "kind" must be a string.`, seq);
  }
  const wrong = wrongField(value, kind);
  if (wrong !== null) {
    throw damaged(`Event ${seq} (${kind}): "${wrong.name}" must be ${wrong.expected}.`, seq);
  }
  return value as unknown as SessionEvent | UnknownEvent;
}

/** Decodes one line of a log. */
export function decodeLine(line: string): SessionEvent | UnknownEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new LandlineError("log-damaged", {
      message: "A line of the log is not JSON.",
      cause,
    });
  }
  return decodeEvent(value);
}

function damaged(message: string, seq?: number): LandlineError {
  return new LandlineError("log-damaged", { message, data: seq === undefined ? {} : { seq } });
}
