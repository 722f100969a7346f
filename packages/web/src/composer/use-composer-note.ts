import { usePart, useView } from "../state/session.tsx";
import { isTouch } from "../ui/typing.ts";
import { composerNote } from "./composer-words.ts";

export function useComposerNote(isStopArmed: boolean, isEmpty: boolean) {
  const line = usePart((snapshot) => snapshot.state);
  const turn = useView((view) => view.turn.state, "idle");
  const agent = useView((view) => view.agent.state, "running");
  const isNew = useView((view) => view.items.length === 0, false);
  const isClosed = useView((view) => view.session.closedBy !== null, false);
  const isAsked = useView((view) => view.openAsks.length > 0, false);
  const note = composerNote({
    line,
    isClosed,
    agent,
    isNew,
    turn,
    isAsked,
    isStopArmed,
    isEmpty,
    hasKeys: !isTouch(),
  });
  return { note, isAsked, isOffline: line === "offline" };
}
