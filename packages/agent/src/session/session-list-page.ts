import { resolve } from "node:path";
import type { IndexEntry } from "./session-index.ts";
import { type SessionInfo, StoreProblem } from "./store.ts";

const pageSize = 50;
const pageSizeMax = 500;

export interface ListOptions {
  cwd?: string;
  cursor?: string;
  limit?: number;
}

interface Cursor {
  /** The filter of the list. */
  cwd: string | null;
  updatedAt: number;
  sessionId: string;
}

/**
 * A page of the list, newest first. The cursor names the last session of the previous page, so that changes
 * in between neither repeat nor skip sessions, except those that move to the front.
 */
export function pageOf(
  entries: readonly IndexEntry[],
  options: ListOptions,
): { sessions: SessionInfo[]; nextCursor: string | null } {
  const cwd = options.cwd === undefined ? null : resolve(options.cwd);
  const after = options.cursor === undefined ? null : readCursor(options.cursor, cwd);
  const limit = Math.min(Math.max(1, options.limit ?? pageSize), pageSizeMax);
  const listed = entries
    .filter((entry) => entry.parent === null && (cwd === null || resolve(entry.cwd) === cwd))
    .filter((entry) => after === null || newestFirst(after, entry) < 0)
    .sort(newestFirst);
  const page = listed.slice(0, limit);
  const last = page.at(-1);
  return {
    sessions: page.map(infoOf),
    nextCursor: last === undefined || listed.length <= limit ? null : cursorAt(last, cwd),
  };
}

function newestFirst(
  one: Pick<SessionInfo, "updatedAt" | "sessionId">,
  other: Pick<SessionInfo, "updatedAt" | "sessionId">,
): number {
  if (one.updatedAt !== other.updatedAt) return other.updatedAt - one.updatedAt;
  return one.sessionId < other.sessionId ? 1 : one.sessionId > other.sessionId ? -1 : 0;
}

function infoOf({ sessionId, cwd, directories, title, updatedAt }: IndexEntry): SessionInfo {
  return { sessionId, cwd, directories, title, updatedAt };
}

function cursorAt({ updatedAt, sessionId }: IndexEntry, cwd: string | null): string {
  const cursor: Cursor = { cwd, updatedAt, sessionId };
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

function readCursor(text: string, cwd: string | null): Cursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as Partial<Cursor>;
    const { updatedAt, sessionId } = cursor;
    if (cursor.cwd === cwd && typeof updatedAt === "number" && typeof sessionId === "string") {
      return { cwd, updatedAt, sessionId };
    }
  } catch {
    // Reported below.
  }
  throw new StoreProblem(
    "bad-cursor",
    "The cursor belongs to another list. Ask for the first page, without a cursor.",
  );
}
