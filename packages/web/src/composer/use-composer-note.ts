import type { PermissionItem, SessionView } from "@landline/protocol";
import { countsOnce } from "../requests/answer-keys.ts";
import { requestItemOf } from "../requests/request-lookup.ts";
import { useIsInDock } from "../requests/use-is-in-dock.ts";
import { usePreferences } from "../state/preferences.ts";
import { useSnapshotPart, useView } from "../state/session.tsx";
import { isTouch } from "../ui/input-device.ts";
import { composerNote } from "./composer-note.ts";

/**
 * The digits, joined by commas, that answer every open request once: this module does not know which one is shown.
 * Null if a question is open, because digits do not answer questions.
 */
function onceDigits(view: SessionView): string | null {
  const items = view.openAsks.map((ask) => requestItemOf(view, ask));
  if (items.some((item) => item?.ask !== "permission")) return null;
  const each = items.flatMap((item) => (item?.ask === "permission" ? [digitsOf(item)] : []));
  const [first = [], ...others] = each;
  return first.filter((digit) => others.every((digits) => digits.includes(digit))).join(",");
}

function digitsOf({ options }: PermissionItem): readonly string[] {
  return options
    .slice(0, 9)
    .flatMap((option, index) => (countsOnce(option) ? String(index + 1) : []));
}

export function useComposerNote(isEmpty: boolean) {
  const line = useSnapshotPart((snapshot) => snapshot.state);
  const turn = useView((view) => view.turn.state, "idle");
  const agent = useView((view) => view.agent.state, "running");
  const waiting = useView((view) => view.agent.waiting, undefined);
  const isNew = useView((view) => view.items.length === 0, false);
  const isClosed = useView((view) => view.session.closedBy !== null, false);
  const isAsked = useView((view) => view.openAsks.length > 0, false);
  const digits = useView(onceDigits, null);
  const { hasSingleKeys } = usePreferences();
  const note = composerNote({
    line,
    isClosed,
    agent,
    waiting,
    isNew,
    turn,
    isAsked,
    isAtAsk: useIsInDock(),
    isEmpty,
    hasKeys: !isTouch(),
    digits: hasSingleKeys && digits !== null ? digits.split(",").filter(Boolean) : null,
  });
  return { note, isAsked, isOffline: line === "offline" };
}
