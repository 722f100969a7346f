import { appendFile, readFile, rename, stat } from "node:fs/promises";
import type { AuditEntry } from "../index/audit-table.ts";

/** What was done about who may come in. It belongs to no session, so it is kept beside the tokens. */
export interface AccessEntry {
  readonly at: number;
  readonly what: "token-made" | "token-revoked" | "key-made";
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Appends a line. Whoever calls it holds the lock of the tokens. */
export async function recordAccess(
  path: string,
  entry: AccessEntry,
  mostBytes: number,
): Promise<void> {
  const size = await stat(path).then(
    ({ size: bytes }) => bytes,
    () => 0,
  );
  if (size > mostBytes) await rename(path, `${path}.1`);
  await appendFile(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

/** Oldest first; lines that can't be read are left out. */
export async function readAccess(path: string): Promise<readonly AuditEntry[]> {
  const texts = await Promise.all(
    [`${path}.1`, path].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const entries = texts.flatMap((text) => text.split("\n").flatMap(entryOf));
  return entries.map(({ at, what, detail }, index) => {
    return { sessionId: "", seq: index + 1, at, what, detail };
  });
}

function entryOf(line: string): AccessEntry[] {
  try {
    const entry = JSON.parse(line) as AccessEntry;
    return typeof entry.at === "number" && typeof entry.what === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
