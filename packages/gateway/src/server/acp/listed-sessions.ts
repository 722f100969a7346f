import {
  acpMeta,
  asLandlineError,
  sessionGoneCodes,
  type OperationName,
  type Output,
  type SessionSummary,
} from "@landline/protocol";
import { isRecord } from "@landline/system/json";
import { continuedSessionId } from "../../sessions/agent-sessions.ts";

type Fields = Readonly<Record<string, unknown>>;
type Operate = (name: OperationName, input: Fields) => Promise<unknown>;

/** Pages of the agent's list begin after those of the gateway. */
const AGENT_PAGE = "agent:";
/** Pages that are searched for a session that the agent lists. */
const PAGES_MAX = 20;

export interface ListedSessions {
  readonly operate: Operate;
  readonly agentId: string;
  /** Whether the agent lists sessions that it stores itself. */
  readonly agentLists: boolean;
}

/** `session/list`: the sessions of the gateway, and then those of the agent that are not continued here yet. */
export async function listSessions(
  from: ListedSessions,
  { cwd, cursor, _meta }: Fields,
): Promise<unknown> {
  const folder = typeof cwd === "string" ? { cwd } : {};
  if (typeof cursor === "string" && cursor.startsWith(AGENT_PAGE))
    return agentPage(from, folder, cursor.slice(AGENT_PAGE.length));
  // `landline acp --attach` shows the editor only that session.
  const attach = isRecord(_meta) ? _meta[acpMeta.attach] : undefined;
  const { sessions, nextCursor } = (await from.operate("list-sessions", {
    ...(typeof attach === "string" && { session: attach }),
    ...folder,
    ...(typeof cursor === "string" && { cursor }),
  })) as { readonly sessions: readonly SessionSummary[]; readonly nextCursor: string | null };
  const next = nextCursor ?? (from.agentLists && attach === undefined ? AGENT_PAGE : null);
  return {
    sessions: sessions.map((summary) => ({
      sessionId: summary.sessionId,
      cwd: summary.cwd,
      title: summary.title,
      updatedAt: new Date(summary.lastAt).toISOString(),
      _meta: { [acpMeta.agent]: summary.agent },
    })),
    ...(next !== null && { nextCursor: next }),
  };
}

async function agentPage(from: ListedSessions, folder: Fields, cursor: string): Promise<unknown> {
  const { sessions, nextCursor } = await pageOf(from, folder, cursor);
  return {
    sessions: sessions
      .filter(({ sessionId }) => sessionId === null)
      .map(({ agentSessionId, cwd, title, updatedAt }) => ({
        sessionId: continuedSessionId(from.agentId, agentSessionId),
        cwd,
        title,
        updatedAt,
        _meta: { [acpMeta.agent]: from.agentId, [acpMeta.agentSessionId]: agentSessionId },
      })),
    ...(nextCursor !== null && { nextCursor: `${AGENT_PAGE}${nextCursor}` }),
  };
}

async function pageOf({ operate, agentId }: ListedSessions, folder: Fields, cursor: string) {
  const input = { agent: agentId, ...folder, ...(cursor !== "" && { cursor }) };
  return (await operate("list-agent-sessions", input)) as Output<"list-agent-sessions">;
}

/** Continues a session that the agent listed under this id. Rethrows `error` if there is none. */
export async function continueListed(
  from: ListedSessions,
  sessionId: unknown,
  error: unknown,
): Promise<void> {
  if (!from.agentLists || !sessionGoneCodes.includes(asLandlineError(error).code)) throw error;
  let cursor: string | null = "";
  for (let page = 0; page < PAGES_MAX && cursor !== null; page++) {
    const listed: Output<"list-agent-sessions"> = await pageOf(from, {}, cursor);
    for (const { agentSessionId, cwd, title } of listed.sessions) {
      if (continuedSessionId(from.agentId, agentSessionId) !== sessionId) continue;
      const named = title === null ? {} : { title };
      await from.operate("open", { agent: from.agentId, cwd, agentSessionId, ...named });
      return;
    }
    cursor = listed.nextCursor;
  }
  throw error;
}
