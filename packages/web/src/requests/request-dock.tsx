import type { AskOutcome } from "@landline/client";
import type { OpenAsk, PermissionItem } from "@landline/protocol";
import { useEffect, useRef, useState } from "react";
import { runCommand } from "../state/run-command.ts";
import { useMe, useSnapshotPart, useThisSession, useView } from "../state/session.tsx";
import { AnswerGuardProvider, useNewAnswerGuard } from "./use-answer-guard.ts";
import { AnsweredElsewhere } from "./answered-elsewhere.tsx";
import { RequestCard } from "./request-card.tsx";
import { deleteSettledDrafts } from "./answer-draft.ts";
import { requestItemOf } from "./request-lookup.ts";
import { dockId, focusDock, keepDock, leaveDock } from "./dock-focus.ts";
import { useIsOffline } from "./offline-note.tsx";
import { useAnswerKeys } from "./use-answer-keys.ts";

const none: readonly OpenAsk[] = [];
const noOptions: PermissionItem["options"] = [];

/** The number of collapsed requests beside the expanded one. */
const linesMost = 3;

/** The open requests, above the composer: the first one expanded, the others as one line each. */
export function RequestDock() {
  const session = useThisSession();
  return <Dock key={session.id} />;
}

function Dock() {
  const session = useThisSession();
  const isWatching = useMe()?.role === "watch";
  const open = useView((view) => view.openAsks, none);
  const [chosen, setChosen] = useState<string | null>(null);
  const [answering, setAnswering] = useState<ReadonlySet<string>>(new Set());
  const answeredHere = useRef(new Set<string>());
  const position = Math.max(
    0,
    open.findIndex(({ askId }) => askId === chosen),
  );
  const current = open[position] ?? null;
  const options = useView((view) => {
    const item = current && requestItemOf(view, current);
    return item?.ask === "permission" ? item.options : noOptions;
  }, noOptions);

  const answer = async (askId: string, outcome: AskOutcome, note?: string) => {
    // Two keys may arrive before the next render.
    if (answeredHere.current.has(askId)) return;
    setAnswering((before) => new Set(before).add(askId));
    answeredHere.current.add(askId);
    const isDone = await runCommand(session.answer(askId, outcome, note));
    if (!isDone) answeredHere.current.delete(askId);
    setAnswering((before) => new Set([...before].filter((other) => other !== askId)));
  };

  const isCutOff = useIsOffline();
  const guard = useNewAnswerGuard();
  useAnswerKeys({
    guard,
    isOpen: !isWatching && current !== null,
    options: isCutOff ? noOptions : options,
    openCount: open.length,
    onChoose: (optionId) => {
      if (current) void answer(current.askId, { outcome: "selected", optionId });
    },
    onNext: () => setChosen(open[(position + 1) % open.length]?.askId ?? null),
  });

  const isLive = useSnapshotPart(({ state }) => state === "live");
  useEffect(() => {
    // Before the session is live, not all open requests are known.
    if (isLive) deleteSettledDrafts(session.id, open);
  }, [isLive, session.id, open]);

  const openCount = open.length;
  const hiddenCount = Math.max(0, openCount - 1 - linesMost);
  const countBefore = useRef(openCount);
  useEffect(() => {
    if (openCount < countBefore.current) {
      // Keeps the focus while requests are open, so that their keys do not reach the composer.
      if (openCount === 0) leaveDock();
      else keepDock();
    }
    countBefore.current = openCount;
  }, [openCount]);

  return (
    <AnswerGuardProvider value={guard}>
      <AnsweredElsewhere open={open} isMine={(askId) => answeredHere.current.has(askId)} />
      {current === null ? null : (
        <section
          id={dockId}
          tabIndex={-1}
          aria-label="Needs your answer"
          className="group/dock column flex min-h-0 flex-col gap-2 [@media(max-height:600px)]:shrink-0 overflow-y-auto px-3 pt-1 pb-2 outline-none"
        >
          {open.map((ask, index) => (
            <RequestCard
              key={ask.askId}
              ask={ask}
              place={open.length > 1 ? { number: index + 1, of: open.length } : null}
              isExpanded={ask === current}
              isHidden={ask !== current && lineOf(index, position) >= linesMost}
              isBusy={answering.has(ask.askId)}
              isCutOff={isCutOff}
              isWatching={isWatching}
              guard={guard}
              onExpand={() => {
                setChosen(ask.askId);
                focusDock();
              }}
              onAnswer={(outcome, note) => void answer(ask.askId, outcome, note)}
            />
          ))}
          {hiddenCount > 0 ? (
            <p className="shrink-0 text-center text-xs text-soft">
              {hiddenCount} more wait. They come up as you answer.
            </p>
          ) : null}
        </section>
      )}
    </AnswerGuardProvider>
  );
}

/** Its position among the collapsed requests. */
function lineOf(index: number, current: number): number {
  return index < current ? index : index - 1;
}
