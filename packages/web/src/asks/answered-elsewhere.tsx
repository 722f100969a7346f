import type { AskItem, OpenAsk } from "@landline/protocol";
import { CircleCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useMe, useThisSession } from "../state/session.tsx";
import { askItemOf } from "./ask-lookup.ts";
import { settledWords } from "./ask-words.ts";

const shownMs = 5_000;

export interface AnsweredElsewhereProps {
  readonly open: readonly OpenAsk[];
  readonly isMine: (askId: string) => boolean;
}

interface Answered {
  readonly askId: string;
  readonly words: string;
}

/** Says for a few seconds who answered what was asked here a moment ago. */
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
    const items = gone.map((ask) => (view ? askItemOf(view, ask) : null));
    const item = items.findLast((one) => isWorthSaying(one));
    if (!item?.settled) return;
    setAnswered({ askId: item.askId, words: settledWords(item, item.settled, me) });
  }, [open, session, me, isMine]);

  useEffect(() => {
    if (answered === null) return undefined;
    const timer = setTimeout(() => setAnswered(null), shownMs);
    return () => clearTimeout(timer);
  }, [answered]);

  return (
    <output aria-live="polite" className="column block px-3">
      {answered === null ? null : (
        <span className="mb-2 flex items-center gap-2 rounded-card border border-line bg-raised px-3 py-1.5 text-sm">
          <CircleCheck size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
          {answered.words}.
        </span>
      )}
    </output>
  );
}

/** You know that you stopped the turn. */
function isWorthSaying(item: AskItem | null): boolean {
  if (!item?.settled) return false;
  const { by } = item.settled;
  return !("gateway" in by) || !by.gateway.startsWith("turn-");
}
