import { RequestDock } from "../requests/request-dock.tsx";
import { Composer } from "../composer/composer.tsx";
import { PlanStrip } from "../panel/plan-strip.tsx";
import { useSnapshotPart } from "../state/session.tsx";
import { Thread } from "../thread/thread.tsx";
import { Announcer } from "./announcer.tsx";
import { CatchingUpBar } from "./catching-up-bar.tsx";
import { SessionUnavailable } from "./session-unavailable.tsx";
import { SessionHeader } from "./session-header.tsx";
import { StalledBar } from "./stalled-bar.tsx";
import { usePageTitle } from "./use-page-title.ts";
import { useSessionName } from "./use-session-name.ts";

export function SessionPage() {
  const isAbsent = useSnapshotPart(
    ({ view, state }) => view === null && (state === "gone" || state === "failed"),
  );
  usePageTitle(useSessionName());
  if (isAbsent) return <SessionUnavailable />;
  return (
    <>
      <SessionHeader />
      <StalledBar />
      <CatchingUpBar />
      <div className="min-h-0 grow">
        <Thread />
      </div>
      <div className="flex max-h-[70dvh] shrink-0 flex-col pb-[env(safe-area-inset-bottom)]">
        <Composer>
          <div className="column shrink-0 px-3">
            <PlanStrip />
          </div>
          <RequestDock />
        </Composer>
      </div>
      <Announcer />
    </>
  );
}
