import { LandlineError, type SessionSummary } from "@landline/protocol";
import type { GatewayClient } from "./client.ts";

export interface SessionFilter {
  readonly cwd?: string;
  readonly limit: number;
}

/** The latest first, page after page, up to the limit. */
export async function listSessions(
  client: GatewayClient,
  { cwd, limit }: SessionFilter,
): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      ...(cwd === undefined ? {} : { cwd }),
      ...(cursor === null ? {} : { cursor }),
      limit: String(Math.min(limit - found.length, 100)),
    });
    const page = (await client.get(`/api/sessions?${query.toString()}`)) as SessionPage;
    found.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < limit);
  return found;
}

interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
}

/** `last` is the session that something happened in last. */
export async function sessionIdOf(client: GatewayClient, typed: string): Promise<string> {
  if (typed !== "last") return typed;
  const [latest] = await listSessions(client, { limit: 1 });
  if (latest) return latest.sessionId;
  throw new LandlineError("session-not-found", {
    message: "There is no session yet.",
    help: 'Start one: landline run "hello" --agent ID.',
  });
}

export function sessionPath(sessionId: string, rest = ""): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}${rest}`;
}
