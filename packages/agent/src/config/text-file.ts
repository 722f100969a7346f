import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { hasErrorCode } from "@landline/system/error-code";
import { openLocated } from "../workspace/located-path.ts";
import { FileProblem } from "../workspace/workspace.ts";

/**
 * Reads at most `maxBytes` of a text file; null when it does not exist. Throws when it is not a regular file
 * or not readable. Pipes and devices are refused before the read, which might never end. `real` is the path that was
 * checked: it throws if a link leads elsewhere since.
 */
export async function readTextFile(
  path: string,
  maxBytes: number,
  real?: string,
): Promise<{ text: string; cut: boolean } | null> {
  const handle = await openFile(path, real);
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error(`${path} is not a file`);
    const buffer = Buffer.alloc(Math.min(found.size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const cut = found.size > maxBytes;
    // With `stream`, an incomplete character at the end is dropped instead of replaced by U+FFFD.
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: cut });
    return { text, cut };
  } finally {
    await handle.close();
  }
}

async function openFile(path: string, real: string | undefined) {
  try {
    if (real !== undefined) return await openLocated({ path, real });
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error) || (error instanceof FileProblem && isMissing(error.cause))) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return hasErrorCode(error, "ENOENT", "ENOTDIR");
}
