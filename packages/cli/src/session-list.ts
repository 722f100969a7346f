import type { Answer, Api } from "@landline/client";
import { LandlineError, type SessionSummary } from "@landline/protocol";

export interface SessionFilter {
  readonly cwd?: string;
  readonly limit: number;
}

/** Lists sessions, latest first, page by page, up to the limit. */
export async function listSessions(
  api: Pick<Api, "listSessions">,
  { limit, ...filter }: SessionFilter,
): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const most = Math.min(limit - found.length, 100);
    const page: Answer<"list-sessions"> = await api.listSessions({
      ...filter,
      cursor,
      limit: most,
    });
    found.push(...page.sessions);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < limit);
  return found;
}

/** `last` is the session with the latest activity. */
export async function sessionIdOf(api: Pick<Api, "listSessions">, typed: string): Promise<string> {
  if (typed !== "last") return typed;
  const [latest] = await listSessions(api, { limit: 1 });
  if (latest) return latest.sessionId;
  throw new LandlineError("session-not-found", {
    message: "There is no session yet.",
    help: 'Start one: landline run "hello" --agent ID.',
  });
}
