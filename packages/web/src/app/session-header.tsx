import { PanelRight } from "lucide-react";
import { shortFolder } from "../sessions/folder-path.ts";
import { useAgentNames } from "../sessions/use-agent-names.ts";
import { useMe, useSnapshotPart, useView } from "../state/session.tsx";
import { usePreferences } from "../state/preferences.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { togglePanel } from "./toggle-columns.ts";
import { useMediaQuery, wide } from "./use-media-query.ts";
import { ListButton } from "./page-header.tsx";
import { SessionMenu } from "./session-menu.tsx";
import { activityOfView, type DisplayedActivity } from "./session-activity.ts";
import { SessionTitle } from "./session-title.tsx";
import { ActivityIcon } from "./activity-icon.tsx";

export function SessionHeader() {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2">
      <ListButton />
      <div className="flex min-w-0 grow flex-col pl-2 medium:flex-row medium:items-baseline medium:gap-3">
        <SessionTitle />
        {/* Shrinks before the title does. */}
        <p className="flex min-w-0 items-center gap-1.5 overflow-hidden text-xs whitespace-nowrap text-soft medium:min-w-24 medium:shrink-[999]">
          <span className="flex shrink-0 items-center medium:hidden">
            <Doing />
          </span>
          <Whereabouts />
        </p>
      </div>
      <span className="hidden shrink-0 items-center text-xs text-soft medium:flex">
        <Doing />
      </span>
      <PanelButton />
      <SessionMenu />
    </header>
  );
}

/** The agent and the folder. */
function Whereabouts() {
  const agent = useView((view) => view.session.agent, "");
  const cwd = useView((view) => view.session.cwd, "");
  const agentName = useAgentNames();
  const home = useMe()?.home ?? null;
  if (agent === "") return null;
  return (
    <>
      <span className="hidden shrink-0 medium:block">{agentName(agent)}</span>
      <span aria-hidden>·</span>
      {/* Truncated at the start, because the end of a path says more. */}
      <span dir="rtl" title={cwd} className="truncate font-mono">
        <bdi dir="ltr">{shortFolder(cwd, home)}</bdi>
      </span>
    </>
  );
}

function Doing() {
  // Offline, the last known state may be outdated.
  const doing = useSnapshotPart<DisplayedActivity | null>(({ state, view }) =>
    state === "offline" ? "offline" : view && activityOfView(view),
  );
  return doing === null ? null : <ActivityIcon doing={doing} word="visible" />;
}

function PanelButton() {
  const { isPanelShown } = usePreferences();
  const isColumn = useMediaQuery(wide);
  const isShown = isColumn && isPanelShown;
  return (
    <IconButton
      icon={PanelRight}
      name={isShown ? "Hide details" : "Show details"}
      aria-pressed={isShown}
      onClick={togglePanel}
    />
  );
}
