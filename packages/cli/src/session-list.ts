import type { Api } from "@landline/client";
import { LandlineError, type SessionSummary } from "@landline/protocol";

export interface SessionFilter {
  readonly cwd?: string;
  readonly limit: number;
}

/** The latest first, page after page, up to the limit. */
export async function listSessions(
  api: Pick<Api, "sessions">,
  { limit, ...filter }: SessionFilter,
): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | null = null;
  do {
    const most = Math.min(limit - found.length, 100);
    const page: Awaited<ReturnType<Api["sessions"]>> = await api.sessions({
      ...filter,
      cursor,
      limit: most,
    });
    found.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < limit);
  return found;
}

/** `last` is the session that something happened in last. */
export async function sessionIdOf(api: Pick<Api, "sessions">, typed: string): Promise<string> {
  if (typed !== "last") return typed;
  const [latest] = await listSessions(api, { limit: 1 });
  if (latest) return latest.sessionId;
  throw new LandlineError("session-not-found", {
    message: "There is no session yet.",
    help: 'Start one: landline run "hello" --agent ID.',
  });
}
