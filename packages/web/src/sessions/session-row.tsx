import { useLandline } from "@landline/client/react";
import type { SessionSummary } from "@landline/protocol";
import { clsx } from "clsx";
import { memo } from "react";
import { closeOverlay } from "../app/overlay.ts";
import { sessionHref } from "../app/routes.ts";
import { activityOfSummary } from "../app/session-activity.ts";
import { ActivityIcon } from "../app/activity-icon.tsx";
import { ContextMenu } from "../ui/context-menu.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { isClosed, titleOf } from "./session-groups.ts";
import { sessionActions } from "./session-actions.ts";

export interface SessionRowProps {
  readonly session: SessionSummary;
  readonly agentName: string;
  readonly isCurrent: boolean;
}

export const SessionRow = memo(function SessionRow({
  session,
  agentName,
  isCurrent,
}: SessionRowProps) {
  const landline = useLandline();
  const { sessionId, title, firstPrompt, lastAt } = session;
  const name = titleOf(title, firstPrompt);
  const actions = sessionActions(landline, {
    sessionId,
    title,
    name,
    isClosed: isClosed(session),
    isLimited: false,
  });
  return (
    <li>
      <ContextMenu actions={actions}>
        <a
          href={sessionHref(sessionId)}
          data-row
          aria-current={isCurrent ? "page" : undefined}
          onClick={closeOverlay}
          className={clsx(
            "touchable flex items-start gap-2 rounded-input px-2 py-1.5",
            isCurrent ? "bg-accent-soft" : "hover:bg-raised",
          )}
        >
          <span className="flex h-5 items-center">
            <ActivityIcon doing={activityOfSummary(session)} />
          </span>
          <span className="min-w-0 grow">
            <span className={clsx("block truncate text-sm", isCurrent && "font-medium")}>
              {name}
            </span>
            <span className="flex gap-2 text-xs text-soft">
              <span className="min-w-0 grow truncate">{agentName}</span>
              <span className="shrink-0 whitespace-nowrap">
                <RelativeTime at={lastAt} />
              </span>
            </span>
          </span>
        </a>
      </ContextMenu>
    </li>
  );
});
