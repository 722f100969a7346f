import { useSessions } from "@landline/client/react";
import { needsYou } from "./session-groups.ts";
import { SessionRow } from "./session-row.tsx";
import { useAgentNames } from "./use-agent-names.ts";

/** Sessions that wait for an answer. */
export function SessionsNeedingYou() {
  const { sessions } = useSessions();
  const agentName = useAgentNames();
  const waiting = sessions.filter(needsYou);
  if (waiting.length === 0) return null;
  return (
    <section aria-labelledby="needs-you">
      <h2 id="needs-you" className="mb-2 text-sm font-semibold text-ask">
        Needs you
      </h2>
      <ul className="rounded-card border border-line p-1">
        {waiting.map((session) => (
          <SessionRow
            key={session.sessionId}
            session={session}
            agentName={agentName(session.agent)}
            isCurrent={false}
          />
        ))}
      </ul>
    </section>
  );
}
