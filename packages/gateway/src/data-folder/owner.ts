import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { removeDrafts, replacePrivateFile } from "@landline/system/replace-file";

/** Who holds the folder: words for the message that a second one gets. The lock decides, not this. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

export function thisProcess(): Owner {
  return { pid: process.pid, startedAt: new Date().toISOString(), host: hostname() };
}

/** Whoever calls this holds the lock. */
export async function writeOwner(path: string, owner: Owner): Promise<void> {
  await removeDrafts(path);
  await replacePrivateFile(path, `${JSON.stringify(owner)}\n`);
}

/** Null when nothing readable is there: the lock may be held before its owner has signed. */
export async function readOwner(path: string): Promise<Owner | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isOwner(value) ? value : null;
  } catch {
    return null;
  }
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== "object" || value === null) return false;
  const { pid, startedAt, host } = value as Record<string, unknown>;
  return Number.isSafeInteger(pid) && typeof startedAt === "string" && typeof host === "string";
}
