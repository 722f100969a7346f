import { useAgents, useSessions } from "@landline/client/react";
import { useState } from "react";
import { PageHeader } from "../app/page-header.tsx";
import { usePageTitle } from "../app/use-page-title.ts";
import { useMe } from "../state/session.tsx";
import { AgentList } from "./agent-list.tsx";
import { BuiltIn, FirstRun, NoAgent } from "./first-run.tsx";
import { NewSessionForm } from "./new-session-form.tsx";
import { SessionsNeedingYou } from "./sessions-needing-you.tsx";

/**
 * The new-session form and the sessions that need an answer; on the first run also an introduction and the agents.
 * The form stays mounted when the first session appears in the list.
 */
export function Home() {
  const { sessions, isLoaded } = useSessions();
  const agents = useAgents();
  // Stays true until the page is left, so that nothing moves while the first session starts.
  const [isFirstRun, setFirstRun] = useState(false);
  if (isLoaded && sessions.length === 0 && !isFirstRun) setFirstRun(true);
  const isWatcher = useMe()?.role === "watch";
  const hasNoAgent = agents !== null && !agents.some(({ found }) => found);
  usePageTitle(null);
  return (
    <>
      <PageHeader title={isFirstRun || isWatcher ? "Landline" : "New conversation"} />
      <div className="min-h-0 grow overflow-y-auto pb-[env(safe-area-inset-bottom)]">
        <div className="column flex flex-col gap-6 px-4 py-6 medium:py-10">
          {isFirstRun ? <FirstRun /> : null}
          {hasNoAgent ? <NoAgent /> : null}
          {isWatcher ? (
            <p className="text-sm text-soft">
              This browser has read-only access. Choose a conversation from the list.
            </p>
          ) : null}
          {hasNoAgent || isWatcher ? null : (
            <NewSessionForm startLabel={isFirstRun ? "Start a conversation" : "Start"} />
          )}
          {isFirstRun && !isWatcher && agents ? <BuiltIn agents={agents} /> : null}
          {isFirstRun || hasNoAgent ? <AgentList /> : null}
          <SessionsNeedingYou />
        </div>
      </div>
    </>
  );
}
