import type { BlobReference } from "@landline/protocol";

/** Reads a blob reference; null for anything else. */
export function blobOf(value: unknown): BlobReference | null {
  if (typeof value !== "object" || value === null) return null;
  const { $blob, bytes } = value as Partial<Record<keyof BlobReference, unknown>>;
  return typeof $blob === "string" && typeof bytes === "number" ? { $blob, bytes } : null;
}
