import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { removeTemporaryFiles, replacePrivateFile } from "@landline/system/replace-file";

/** The owner of the folder, for the error message of a second process. The lock itself decides who owns it. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

export function thisProcess(): Owner {
  return { pid: process.pid, startedAt: new Date().toISOString(), host: hostname() };
}

/** The caller must hold the lock. */
export async function writeOwner(path: string, owner: Owner): Promise<void> {
  await removeTemporaryFiles(path);
  await replacePrivateFile(path, `${JSON.stringify(owner)}\n`);
}

/** Null if there is no readable file: a process takes the lock before it writes this file. */
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
