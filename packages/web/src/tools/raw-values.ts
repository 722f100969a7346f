import type { BlobReference } from "@landline/protocol";
import { blobOf } from "../content/blob-reference.ts";

/** What agents send is read by these: anything may be there, or not. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** A text, or where it is kept because it was too long for the log. */
export type LongText = string | BlobReference;

export function recordOf(value: unknown): RawRecord | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as RawRecord)
    : null;
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function stringsOf(value: unknown): readonly string[] | null {
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords && value.length > 0 ? value : null;
}

/** Also the empty text. */
export function longTextOf(value: unknown): LongText | null {
  return typeof value === "string" ? value : blobOf(value);
}

/** The first of these fields that can be read. */
export function firstOf<Found>(
  record: RawRecord | null,
  names: readonly string[],
  read: (value: unknown) => Found | null,
): Found | null {
  for (const name of names) {
    const found = read(record?.[name]);
    if (found !== null) return found;
  }
  return null;
}
