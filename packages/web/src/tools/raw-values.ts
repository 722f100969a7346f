import type { BlobReference } from "@landline/protocol";
import { blobOf } from "../content/blob-reference.ts";

/** Readers for values that agents send, which may have any type. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** A text, or a reference to its blob. */
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

/** Includes the empty text. */
export function longTextOf(value: unknown): LongText | null {
  return typeof value === "string" ? value : blobOf(value);
}

/** The first of these fields that `read` accepts. */
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
