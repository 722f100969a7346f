import type { Answer, Api } from "@landline/client";

export type AgentSession = Answer<"list-agent-sessions">["sessions"][number];

interface AgentSessionFilter {
  readonly agent: string;
  readonly cwd?: string;
  readonly limit: number;
}

/** Lists the sessions that an agent stores itself, page by page, up to the limit. */
export async function listAgentSessions(
  api: Pick<Api, "listAgentSessions">,
  { limit, ...filter }: AgentSessionFilter,
): Promise<readonly AgentSession[]> {
  const found: AgentSession[] = [];
  let cursor: string | undefined;
  do {
    const page: Answer<"list-agent-sessions"> = await api.listAgentSessions({ ...filter, cursor });
    found.push(...page.sessions);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && found.length < limit);
  return found.slice(0, limit);
}
