import type { AskItem, OpenAsk } from "@landline/protocol";
import { clsx } from "clsx";
import { CircleCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useMe, useThisSession } from "../state/session.tsx";
import { requestItemOf } from "./request-lookup.ts";
import { requestSubject, type RequestSubject } from "./request-subject.ts";
import { outcomeText, outcomeTextAfterSubject } from "./outcome-text.ts";

const shownMs = 5_000;

export interface AnsweredElsewhereProps {
  readonly open: readonly OpenAsk[];
  readonly isMine: (askId: string) => boolean;
}

interface Answered {
  readonly askId: string;
  readonly subject: RequestSubject | null;
  readonly words: string;
}

/** Shows for a few seconds who answered a request that was open here. */
export function AnsweredElsewhere({ open, isMine }: AnsweredElsewhereProps) {
  const session = useThisSession();
  const me = useMe();
  const before = useRef(open);
  const [answered, setAnswered] = useState<Answered | null>(null);

  useEffect(() => {
    const isOpen = new Set(open.map(({ askId }) => askId));
    const { view } = session.getSnapshot();
    const gone = before.current.filter(({ askId }) => !isOpen.has(askId) && !isMine(askId));
    before.current = open;
    const items = gone.map((ask) => (view ? requestItemOf(view, ask) : null));
    const item = items.findLast((one) => isWorthSaying(one));
    if (!item?.settled || !view) return;
    const subject = requestSubject(item, view);
    const wordsOf = subject === null ? outcomeText : outcomeTextAfterSubject;
    setAnswered({ askId: item.askId, subject, words: wordsOf(item, item.settled, me) });
  }, [open, session, me, isMine]);

  useEffect(() => {
    if (answered === null) return undefined;
    const timer = setTimeout(() => setAnswered(null), shownMs);
    return () => clearTimeout(timer);
  }, [answered]);

  return (
    <output aria-live="polite" className="column block shrink-0 px-3">
      {answered === null ? null : (
        // Not a card, so that it does not look like an answer to the next request.
        <span className="mx-auto mb-4 flex w-fit max-w-full items-center gap-2 rounded-full bg-raised px-3 py-0.5 text-sm text-soft">
          <CircleCheck size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
          <span className="flex min-w-0">
            {answered.subject === null ? null : (
              <span className={clsx("truncate", answered.subject.isCode && "font-mono")}>
                {answered.subject.text}
              </span>
            )}
            <span className="shrink-0 whitespace-pre">
              {answered.subject === null ? "" : ": "}
              {answered.words}.
            </span>
          </span>
        </span>
      )}
    </output>
  );
}

/** False if the turn was stopped: the person knows that. */
function isWorthSaying(item: AskItem | null): boolean {
  if (!item?.settled) return false;
  const { by } = item.settled;
  return !("gateway" in by) || !by.gateway.startsWith("turn-");
}
