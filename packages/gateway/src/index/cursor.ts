import { LandlineError } from "@landline/protocol";

type Position = readonly (string | number)[];

/** Encodes the position at which a page ended as an opaque string. */
export function writeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** `shape` is an example: the cursor must have the same number of parts, of the same types. */
export function readCursor(cursor: string, shape: Position): Position {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (
      Array.isArray(value) &&
      value.length === shape.length &&
      value.every((part, index) => typeof part === typeof shape[index])
    )
      return value as Position;
  } catch {
    // The error below covers all invalid cursors.
  }
  throw new LandlineError("invalid-params", {
    message: "The cursor is not valid for this list.",
    help: "Start again without a cursor.",
  });
}

/** The number of rows: at least one, at most `most`. */
export function pageSize(limit: number | undefined, most: number): number {
  if (limit === undefined) return most;
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new LandlineError("invalid-params", {
      message: "limit must be a whole number, 1 or more.",
    });
  return Math.min(limit, most);
}
