import { useAgents } from "@landline/client/react";
import { LandlineError } from "@landline/protocol";
import { useLayoutEffect, useRef } from "react";
import { describeError } from "../state/run-command.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { moveByArrows } from "../ui/move-by-arrows.ts";
import { agentSessionName, AgentSessionRow } from "./agent-session-row.tsx";
import { isSignInWanted, StartFailure } from "./start-failure.tsx";
import { useAgentNames } from "./use-agent-names.ts";
import { useAgentSessions, type AgentSession } from "./use-agent-sessions.ts";
import { useContinueSession } from "./use-continue-session.ts";

export interface AgentSessionsProps {
  readonly agentId: string;
  readonly onClose: () => void;
}

/** The sessions that an agent stores itself. Choosing one continues it here. */
export function AgentSessions({ agentId, onClose }: AgentSessionsProps) {
  const name = useAgentNames()(agentId);
  const { sessions, nextCursor, isLoading, error, load } = useAgentSessions(agentId);
  const { opening, error: openError, continueSession } = useContinueSession(agentId);
  const failed = isNotOffered(error) ? null : (error ?? openError);
  return (
    <Dialog
      title={`Conversations of ${name}`}
      about="Choose one to continue it here with its history."
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-2">
        {failed === null ? null : <Failure agentId={agentId} error={failed} />}
        {sessions === null || sessions.length === 0 ? null : (
          <Rows
            sessions={sessions}
            opening={opening}
            onContinue={(session) => void continueSession(session)}
          />
        )}
        <output className="text-sm text-soft empty:hidden">
          {isNotOffered(error)
            ? `${name} does not list its conversations.`
            : sessions === null && isLoading
              ? `Starting ${name} to list its conversations…`
              : sessions?.length === 0 && nextCursor === null
                ? `${name} has no conversations.`
                : null}
        </output>
        {error === null ? (
          nextCursor === null ? null : (
            <Button variant="quiet" isBusy={isLoading} onClick={load}>
              {isLoading ? "Loading…" : "Show more"}
            </Button>
          )
        ) : isNotOffered(error) ? null : (
          <Button className="self-start" onClick={load}>
            Try again
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface RowsProps {
  readonly sessions: readonly AgentSession[];
  /** The agent's id of the session that is being opened. */
  readonly opening: string | null;
  readonly onContinue: (session: AgentSession) => void;
}

function Rows({ sessions, opening, onContinue }: RowsProps) {
  const listRef = useRef<HTMLDivElement>(null);
  useFocusOnNewRows(listRef, sessions.length);
  const opened = sessions.find(({ agentSessionId }) => agentSessionId === opening);
  return (
    <div
      ref={listRef}
      role="presentation"
      onKeyDown={(event) => moveByArrows(event, listRef.current)}
    >
      <ul className="-mx-2">
        {sessions.map((session) => (
          <li key={session.agentSessionId}>
            <AgentSessionRow
              session={session}
              isOpening={session === opened}
              isDisabled={opened !== undefined && session !== opened}
              onContinue={() => onContinue(session)}
            />
          </li>
        ))}
      </ul>
      <output className="sr-only">
        {opened === undefined ? "" : `Opening ${agentSessionName(opened)}`}
      </output>
    </div>
  );
}

/** Focuses the first of the rows that were added, unless the person is at a row. */
function useFocusOnNewRows(list: { readonly current: HTMLElement | null }, count: number): void {
  const before = useRef(0);
  useLayoutEffect(() => {
    const rows = list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [];
    const isAtRow = [...rows].some((row) => row === document.activeElement);
    if (count > before.current && !isAtRow) rows[before.current]?.focus();
    before.current = count;
  }, [list, count]);
}

function Failure({ agentId, error }: { readonly agentId: string; readonly error: unknown }) {
  const agent = useAgents()?.find(({ id }) => id === agentId);
  if (!agent) return null;
  return (
    <StartFailure agent={agent} {...describeError(error)} needsSignIn={isSignInWanted(error)} />
  );
}

/** Whether the agent cannot list its sessions. */
function isNotOffered(error: unknown): boolean {
  return error instanceof LandlineError && error.code === "tool-disabled";
}
