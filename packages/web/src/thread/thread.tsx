import type { Session, SessionSnapshot } from "@landline/client";
import { useStore } from "@landline/client/react";
import type { SessionView } from "@landline/protocol";
import { useCallback, useState } from "react";
import { useRoute } from "../app/use-route.ts";
import { runCommand } from "../state/run-command.ts";
import { useThisSession } from "../state/session.tsx";
import { ThreadStart } from "./thread-start.tsx";
import { EmptyThread } from "./empty-thread.tsx";
import { PartRows } from "./part-rows.tsx";
import { partsFrom } from "./thread-parts.ts";
import { countNew } from "./rows.ts";
import { JumpToEnd } from "./jump-to-end.tsx";
import { useLogRollbackWarning } from "./use-log-rollback-warning.ts";
import { useJump } from "./use-jump.ts";
import { useScrollOnSend } from "./use-scroll-on-send.ts";
import { useRows, type PartWithRows } from "./use-rows.ts";
import { useScrollAnchor } from "./use-scroll-anchor.ts";
import { earlierStart, hidesSome, windowItems, windowStart } from "./thread-window.ts";

/** The conversation. It follows its end while the person is there, and otherwise does not move. */
export function Thread() {
  const session = useThisSession();
  const snapshot = useStore(session);
  const { view } = snapshot;
  // Each session has its own state and starts at its end.
  return view === null ? (
    <div className="h-full" />
  ) : (
    <Rows key={session.id} view={view} snapshot={snapshot} />
  );
}

/** The start of an extended window, and the last event seen when the end was left. */
interface Held {
  readonly start: number;
  readonly seen: number;
}

interface RowsProps {
  readonly snapshot: SessionSnapshot;
  readonly view: SessionView;
}

/** A scroll region must be focusable. The Announcer reports changes, not each chunk. */
const log = { role: "log", "aria-live": "off", tabIndex: 0 } as const;

function Rows({ snapshot, view }: RowsProps) {
  const session = useThisSession();
  const { older, history, outgoing } = snapshot;
  const [held, setHeld] = useState<Held | null>(null);
  const onEnd = useCallback(
    (is: boolean) =>
      setHeld((now) => {
        if (is) return null;
        const { start: from, seen } = heldIn(session);
        return { start: now?.start ?? from, seen };
      }),
    [session],
  );
  const { scroller, content, keeper, isAtEnd } = useScrollAnchor(onEnd);
  useLogRollbackWarning(view.head);
  useScrollOnSend(outgoing, keeper);
  const start = held?.start ?? windowStart(older, view);
  const parts = useRows(partsFrom(older, view, start));
  // The extended window has grown too long: return to the usual one.
  if (isAtEnd && held !== null && isTooMuch(parts)) setHeld(null);
  const hold = useCallback(
    (from: number) => setHeld((now) => ({ ...(now ?? heldIn(session)), start: from })),
    [session],
  );
  const showMore = useCallback(() => {
    const now = session.getSnapshot();
    if (now.view && hidesSome(now.older, now.view, start)) {
      hold(earlierStart(now.older, now.view, start));
    } else if (now.history === "more" || now.history === "failed") {
      void runCommand(session.loadOlder());
    }
  }, [session, start, hold]);
  const goTo = useCallback(
    (from: number) => {
      keeper.current?.leaveEnd();
      hold(from);
    },
    [keeper, hold],
  );
  const at = useAt();
  const from = held?.start ?? null;
  useJump({ at, snapshot, start: from, keeper, content, onStart: goTo });
  return (
    <div className="relative h-full">
      <div
        ref={scroller}
        aria-label="Conversation"
        className="h-full overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
        {...log}
      >
        <div className="column">
          <ThreadStart
            scroller={scroller}
            hidesSome={hidesSome(older, view, start)}
            history={history}
            start={start}
            onMore={showMore}
          />
          {view.items.length === 0 && history === "whole" ? <EmptyThread /> : null}
          <div ref={content} className="pb-4">
            {parts.map(({ part, rows }) => (
              <PartRows
                key={part.key}
                view={part.view}
                rows={rows}
                isLive={part.key === "live" && view.turn.state !== "idle"}
              />
            ))}
          </div>
        </div>
      </div>
      {isAtEnd ? null : (
        <JumpToEnd
          count={countNew(parts.at(-1)?.rows.rows ?? [], held?.seen ?? view.head)}
          onGo={() => {
            keeper.current?.toEnd();
            // The pressed button is gone: keep the keyboard focus here.
            scroller.current?.focus({ preventScroll: true });
          }}
        />
      )}
    </div>
  );
}

function heldIn(session: Session): Held {
  const { older, view } = session.getSnapshot();
  if (view === null) return { start: 0, seen: 0 };
  return { start: windowStart(older, view), seen: view.head };
}

function isTooMuch(parts: readonly PartWithRows[]): boolean {
  const count = parts.reduce((sum, { part }) => sum + part.items.length, 0);
  return count > 3 * windowItems;
}

/** The event in the URL. */
function useAt(): number | null {
  const route = useRoute();
  return route.name === "session" ? route.at : null;
}
