import type { Answer, Api } from "@landline/client";
import { readPages } from "./read-pages.ts";

export type AgentSession = Answer<"list-agent-sessions">["sessions"][number];

interface AgentSessionFilter {
  readonly agent: string;
  readonly cwd?: string;
  readonly limit: number;
}

/** Lists the sessions that an agent stores itself, up to the limit. */
export function listAgentSessions(
  api: Pick<Api, "listAgentSessions">,
  { limit, ...filter }: AgentSessionFilter,
): Promise<readonly AgentSession[]> {
  return readPages(limit, async (cursor) => {
    const { sessions, nextCursor } = await api.listAgentSessions({ ...filter, cursor });
    return { rows: sessions, nextCursor };
  });
}
