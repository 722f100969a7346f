import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { hasErrorCode } from "@landline/system/error-code";

/**
 * A text file, at most `maxBytes` of it; null when there is no such file. Throws when it can't be read:
 * not a file, not permitted. Pipes and devices are refused before they are read, because a read of them
 * may never end.
 */
export async function readTextFile(
  path: string,
  maxBytes: number,
): Promise<{ text: string; cut: boolean } | null> {
  const handle = await openFile(path);
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error(`${path} is not a file`);
    const buffer = Buffer.alloc(Math.min(found.size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const cut = found.size > maxBytes;
    // In a stream, a character that is cut in half is held back instead of becoming a replacement mark.
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: cut });
    return { text, cut };
  } finally {
    await handle.close();
  }
}

async function openFile(path: string) {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return hasErrorCode(error, "ENOENT", "ENOTDIR");
}
