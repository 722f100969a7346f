import type { BlobReference } from "./events.ts";
import { isRecord } from "./record.ts";
import type { Block } from "./view/item.ts";

/** Readers of values that an agent sent. Each returns null for a value of another type. None throws. */
export type Raw = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): Raw | null {
  return isRecord(value) ? value : null;
}

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A string with at least one character. */
export function filledStringOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

export function arrayOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** A field that null clears. Undefined for any other value that is no string: the field keeps what it has. */
export function clearableString(value: unknown): string | null | undefined {
  return value === null || typeof value === "string" ? value : undefined;
}

/** A reference to a string that is stored beside the log. */
export function blobOf(value: unknown): BlobReference | null {
  const isBlob =
    isRecord(value) && typeof value["$blob"] === "string" && typeof value["bytes"] === "number";
  return isBlob ? (value as unknown as BlobReference) : null;
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

/** A content block. A text that is stored as a blob becomes an empty text with its reference. */
export function blockOf(value: unknown): Block | null {
  const raw = recordOf(value);
  if (raw === null || typeof raw["type"] !== "string") return null;
  if (raw["type"] === "text" && typeof raw["text"] !== "string") {
    const blob = blobOf(raw["text"]);
    return blob === null ? null : { type: "text", text: "", blob };
  }
  return raw as unknown as Block;
}

/** The entries of a list that are content blocks; an empty list for anything else. */
export function blocksIn(value: unknown): readonly Block[] {
  const entries = arrayOf(value) ?? [];
  return entries.map(blockOf).filter((block) => block !== null);
}
