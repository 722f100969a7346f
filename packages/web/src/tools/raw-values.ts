import { blobOf, type BlobReference } from "@landline/protocol";

/** A text, or a reference to its blob. */
export type LongText = string | BlobReference;

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
  record: Readonly<Record<string, unknown>> | null,
  names: readonly string[],
  read: (value: unknown) => Found | null,
): Found | null {
  for (const name of names) {
    const found = read(record?.[name]);
    if (found !== null) return found;
  }
  return null;
}
