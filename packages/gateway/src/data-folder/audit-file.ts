import { appendFile, readFile, rename, stat } from "node:fs/promises";

/** Audit entries that belong to no log: about tokens and deleted sessions. */
export interface AuditLine {
  readonly at: number;
  readonly what: "token-made" | "token-revoked" | "key-made" | "session-deleted";
  readonly detail: Readonly<Record<string, unknown>>;
  /** Absent if the entry is about no session. */
  readonly sessionId?: string;
  readonly seq?: number;
}

/** Appends a line, and rotates a file that is too long first. Callers must not overlap. */
export async function appendAudit(path: string, line: AuditLine, mostBytes: number): Promise<void> {
  const size = await stat(path).then(
    ({ size: bytes }) => bytes,
    () => 0,
  );
  if (size > mostBytes) await rename(path, `${path}.1`);
  await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** Oldest first. Skips lines that can't be parsed. */
export async function readAudit(path: string): Promise<readonly Required<AuditLine>[]> {
  const texts = await Promise.all(
    [`${path}.1`, path].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const lines = texts.flatMap((text) => text.split("\n").flatMap(lineOf));
  return lines.map(({ at, what, detail, sessionId = "", seq }, index) => {
    return { sessionId, seq: seq ?? index + 1, at, what, detail };
  });
}

function lineOf(text: string): AuditLine[] {
  try {
    const line = JSON.parse(text) as AuditLine;
    return typeof line.at === "number" && typeof line.what === "string" ? [line] : [];
  } catch {
    return [];
  }
}
