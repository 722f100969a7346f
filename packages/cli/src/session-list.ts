import type { Api } from "@landline/client";
import { LandlineError, type SessionSummary } from "@landline/protocol";
import { readPages } from "./read-pages.ts";

export interface SessionFilter {
  readonly cwd?: string;
  readonly limit: number;
}

/** Lists sessions, latest first, up to the limit. */
export function listSessions(
  api: Pick<Api, "listSessions">,
  { limit, ...filter }: SessionFilter,
): Promise<readonly SessionSummary[]> {
  return readPages(limit, async (cursor, wanted) => {
    const page = { ...filter, cursor, limit: Math.min(wanted, PAGE_ROWS) };
    const { sessions, nextCursor } = await api.listSessions(page);
    return { rows: sessions, nextCursor };
  });
}

const PAGE_ROWS = 100;

/** `last` is the session with the latest activity. */
export async function sessionIdOf(api: Pick<Api, "listSessions">, typed: string): Promise<string> {
  return typed === "last" ? (await lastSession(api)).sessionId : typed;
}

/** Finds a session by its id, by the beginning of its id, or as `last`. */
export async function sessionOf(
  api: Pick<Api, "listSessions">,
  typed: string,
): Promise<SessionSummary> {
  if (typed === "last") return lastSession(api);
  const { sessions: exact } = await api.listSessions({ session: typed });
  const [found] = exact;
  if (found) return found;
  const all = await listSessions(api, { limit: SESSIONS_SEARCHED });
  const [first, ...others] = all.filter(({ sessionId }) => sessionId.startsWith(typed));
  if (first && others.length === 0) return first;
  throw new LandlineError("session-not-found", {
    message: first
      ? `${others.length + 1} sessions have an id that begins with ${typed}.`
      : `There is no session ${typed}.`,
    help: "See `landline sessions`, and use one of its ids.",
  });
}

const SESSIONS_SEARCHED = 10_000;

async function lastSession(api: Pick<Api, "listSessions">): Promise<SessionSummary> {
  const [latest] = await listSessions(api, { limit: 1 });
  if (latest) return latest;
  throw new LandlineError("session-not-found", {
    message: "There is no session yet.",
    help: 'Start one: landline run "hello" --agent ID.',
  });
}
