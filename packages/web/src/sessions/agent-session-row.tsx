import { leaveOverlays } from "../app/overlay.ts";
import { sessionHref } from "../app/routes.ts";
import { useMe } from "../state/session.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { shortFolder } from "./folder-path.ts";
import type { AgentSession } from "./use-agent-sessions.ts";

export interface AgentSessionRowProps {
  readonly session: AgentSession;
  readonly isOpening: boolean;
  /** Another one is being opened. */
  readonly isDisabled: boolean;
  readonly onContinue: () => void;
}

const look =
  "touchable block w-full rounded-input px-2 py-1.5 text-left hover:bg-accent-soft aria-disabled:opacity-50 aria-disabled:hover:bg-transparent";

/** A link if the session is in Landline already, else a button that continues it. */
export function AgentSessionRow(props: AgentSessionRowProps) {
  const { session, isOpening, isDisabled, onContinue } = props;
  if (session.sessionId !== null)
    return (
      <a href={sessionHref(session.sessionId)} data-row onClick={leaveOverlays} className={look}>
        <Content session={session} isOpening={false} />
      </a>
    );
  return (
    <button
      type="button"
      data-row
      aria-disabled={isDisabled || undefined}
      aria-busy={isOpening || undefined}
      onClick={isDisabled || isOpening ? undefined : onContinue}
      className={look}
    >
      <Content session={session} isOpening={isOpening} />
    </button>
  );
}

function Content({ session, isOpening }: Pick<AgentSessionRowProps, "session" | "isOpening">) {
  const { sessionId, cwd, updatedAt } = session;
  const home = useMe()?.home ?? null;
  return (
    <>
      <span className="block truncate text-sm">{agentSessionName(session)}</span>
      <span className="flex gap-2 text-xs text-soft">
        <span title={cwd} className="min-w-0 grow truncate font-mono">
          {shortFolder(cwd, home)}
        </span>
        <span className="shrink-0 whitespace-nowrap">
          {sessionId === null ? null : <span className="text-ink">In Landline</span>}
          {sessionId === null || updatedAt === null ? null : " · "}
          {isOpening ? (
            "Opening…"
          ) : updatedAt === null ? null : (
            <RelativeTime at={Date.parse(updatedAt)} />
          )}
        </span>
      </span>
    </>
  );
}

/** The title, or else the start of the agent's id, which tells two without a title apart. */
export function agentSessionName({ title, agentSessionId }: AgentSession): string {
  return title ?? `Untitled (${agentSessionId.slice(0, 8)})`;
}
