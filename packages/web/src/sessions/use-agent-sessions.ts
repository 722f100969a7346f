import type { Answer } from "@landline/client";
import { useLandline } from "@landline/client/react";
import { useCallback, useEffect, useRef, useState } from "react";

export type AgentSession = Answer<"list-agent-sessions">["sessions"][number];

interface LoadedPages {
  /** Null before the first answer. */
  readonly sessions: readonly AgentSession[] | null;
  readonly nextCursor: string | null;
  readonly isLoading: boolean;
  readonly error: unknown;
}

export interface AgentSessionPages extends LoadedPages {
  /** Loads the next page, or again what failed. */
  readonly load: () => void;
}

const nothing: LoadedPages = { sessions: null, nextCursor: null, isLoading: true, error: null };

/** The sessions that an agent stores itself, page by page in the agent's order. The gateway starts the agent for each page. */
export function useAgentSessions(agentId: string): AgentSessionPages {
  const { api } = useLandline();
  const [pages, setPages] = useState(nothing);
  const latest = useRef<AbortController | null>(null);
  const request = useCallback(
    async (cursor: string | null) => {
      latest.current?.abort();
      const { signal } = (latest.current = new AbortController());
      try {
        const page = await api.listAgentSessions(
          { agent: agentId, cursor: cursor ?? undefined },
          { signal },
        );
        if (!signal.aborted) setPages(({ sessions }) => withPage(sessions ?? [], page));
      } catch (error) {
        if (!signal.aborted) setPages((before) => ({ ...before, isLoading: false, error }));
      }
    },
    [api, agentId],
  );
  useEffect(() => {
    void request(null);
    return () => latest.current?.abort();
  }, [request]);
  const load = () => {
    setPages({ ...pages, isLoading: true, error: null });
    void request(pages.nextCursor);
  };
  return { ...pages, load };
}

/** An agent may list a session on two pages. */
function withPage(
  sessions: readonly AgentSession[],
  page: Answer<"list-agent-sessions">,
): LoadedPages {
  const known = new Map(sessions.map((session) => [session.agentSessionId, session]));
  for (const session of page.sessions) known.set(session.agentSessionId, session);
  return {
    sessions: [...known.values()],
    nextCursor: page.nextCursor,
    isLoading: false,
    error: null,
  };
}
