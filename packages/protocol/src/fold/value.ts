import type { BlobReference } from "../events.ts";
import { isRecord } from "../record.ts";

/** Readers of what an agent sent: each says null for anything that it is not. None throws. */
export type Raw = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): Raw | null {
  return isRecord(value) ? value : null;
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

export function arrayOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

export function blobOf(value: unknown): BlobReference | null {
  return isRecord(value) && typeof value["$blob"] === "string"
    ? (value as unknown as BlobReference)
    : null;
}

/** An id. One that was too long for the log is known by the hash of its text. */
export function identifierOf(value: unknown): string | null {
  return stringOf(value) ?? blobOf(value)?.$blob ?? null;
}

/** The entries that are objects with a string under `name`; all others are skipped. */
export function entriesWith(value: unknown, name: string): readonly Raw[] | null {
  const entries = arrayOf(value);
  if (entries === null) return null;
  const fits = (entry: unknown) => isRecord(entry) && typeof entry[name] === "string";
  // An array that conforms is kept as it is: no copy, and the same identity.
  return (entries.every(fits) ? entries : entries.filter(fits)) as readonly Raw[];
}

/** Absent keeps what is known, null clears it, a string replaces it; anything else keeps. */
export function patchedString(known: string | null, value: unknown): string | null {
  return value === null || typeof value === "string" ? value : known;
}
