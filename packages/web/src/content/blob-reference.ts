import type { BlobReference } from "@landline/protocol";

/** What stands for a string that was too long for the log; null for anything else. */
export function blobOf(value: unknown): BlobReference | null {
  if (typeof value !== "object" || value === null) return null;
  const { $blob, bytes } = value as Partial<Record<keyof BlobReference, unknown>>;
  return typeof $blob === "string" && typeof bytes === "number" ? { $blob, bytes } : null;
}
