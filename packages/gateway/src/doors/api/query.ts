import { LandlineError } from "@landline/protocol";
import type { DoorRequest } from "../context.ts";

interface Range {
  readonly least: number;
  readonly most: number;
}

/** A whole number from the address; undefined when it is not there. */
export function wholeNumber(request: DoorRequest, name: string, range: Range): number | undefined {
  const text = request.req.query(name);
  if (text === undefined) return undefined;
  return readWholeNumber(text, name, range);
}

export function readWholeNumber(text: string, name: string, { least, most }: Range): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    const upTo = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
    throw wrongField(name, `must be a whole number from ${least}${upTo}`);
  }
  return value;
}

/** A bounded text from the address; undefined when it is not there or empty. */
export function shortText(request: DoorRequest, name: string, most: number): string | undefined {
  const text = request.req.query(name);
  if (text === undefined || text === "") return undefined;
  if (text.length > most) throw wrongField(name, `must be at most ${most} characters long`);
  if (text.includes("\0")) throw wrongField(name, "must not contain a NUL character");
  return text;
}

export function oneOf<Choice extends string>(
  request: DoorRequest,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = request.req.query(name);
  if (text === undefined) return undefined;
  const chosen = choices.find((choice) => choice === text);
  if (!chosen) throw wrongField(name, `must be ${choices.join(" or ")}`);
  return chosen;
}

export function wrongField(field: string, complaint: string): LandlineError {
  return new LandlineError("invalid-params", {
    message: `${field} ${complaint}.`,
    data: { field },
  });
}
