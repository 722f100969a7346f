import type { AskItem, SessionView, ToolCallItem } from "@landline/protocol";
import { clsx } from "clsx";
import { CircleHelp, CircleSlash, ShieldCheck, ShieldQuestion, ShieldX } from "lucide-react";
import { memo, useMemo } from "react";
import { useMe } from "../state/session.tsx";
import { ExecutionBadge } from "../tools/execution-badge.tsx";
import { answerText } from "./answer-text.ts";
import { toolCallOf } from "./request-lookup.ts";
import { requestSubject } from "./request-subject.ts";
import { optionText, outcomeText, verdictOf, type Settled, type Verdict } from "./outcome-text.ts";
import { focusDock } from "./dock-focus.ts";
import { useRuleText } from "./use-rule-text.ts";

export interface RequestRowProps {
  readonly item: AskItem;
  readonly view: SessionView;
}

/** A request in the thread. From the view it reads only its tool call, which comes before it. */
export const RequestRow = memo(
  function RequestRow({ item, view }: RequestRowProps) {
    const about = <About item={item} view={view} />;
    return item.settled === null ? (
      <OpenRow isQuestion={item.ask === "question"}>{about}</OpenRow>
    ) : (
      <SettledRow item={item} settled={item.settled} call={callOf(item, view)}>
        {about}
      </SettledRow>
    );
  },
  (before, after) =>
    before.item === after.item &&
    callOf(before.item, before.view)?.execution === callOf(after.item, after.view)?.execution,
);

/** The tool call of a permission request. */
function callOf(item: AskItem, view: SessionView): ToolCallItem | null {
  return item.ask === "permission" ? toolCallOf(view, item) : null;
}

interface OpenRowProps {
  readonly isQuestion: boolean;
  readonly children: React.ReactNode;
}

/** Unobtrusive, because the dock already shows the request; links there. */
function OpenRow({ isQuestion, children }: OpenRowProps) {
  const Icon = isQuestion ? CircleHelp : ShieldQuestion;
  return (
    <button
      type="button"
      onClick={() => focusDock()}
      className="touchable flex w-full min-w-0 items-center gap-2 rounded-input py-1 text-left text-sm hover:bg-raised"
    >
      <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-ask" />
      {children}
      <span className="ml-auto shrink-0 text-xs font-medium text-ask">Waiting for you</span>
    </button>
  );
}

const icons = {
  allowed: { icon: ShieldCheck, look: "text-good" },
  rejected: { icon: ShieldX, look: "text-bad" },
  answered: { icon: CircleHelp, look: "text-soft" },
  declined: { icon: CircleSlash, look: "text-soft" },
  dismissed: { icon: CircleSlash, look: "text-soft" },
  unanswered: { icon: CircleSlash, look: "text-soft" },
} as const satisfies Record<Verdict, unknown>;

interface SettledRowProps {
  readonly item: AskItem;
  readonly settled: Settled;
  readonly call: ToolCallItem | null;
  readonly children: React.ReactNode;
}

function SettledRow({ item, settled, call, children }: SettledRowProps) {
  const me = useMe();
  const { by } = settled;
  const rule = useRuleText("rule" in by ? by.rule : null);
  const { icon: Icon, look } = icons[verdictOf(item, settled)];
  const option = optionText(item, settled);
  const said = useMemo(() => saidWith(item, settled), [item, settled]);
  const line = (
    <p className="flex min-w-0 items-center gap-2 text-sm text-soft">
      <Icon size={16} strokeWidth={1.5} aria-hidden className={clsx("shrink-0", look)} />
      <span className="shrink-0">{outcomeText(item, settled, me)}</span>
      {children}
      {rule === null && option === null ? null : (
        <span className="min-w-0 truncate" title={rule ?? option ?? undefined}>
          · {rule ?? option}
        </span>
      )}
      {call === null ? null : (
        <span className="ml-auto shrink-0 whitespace-nowrap">
          <ExecutionBadge call={call} />
        </span>
      )}
    </p>
  );
  if (said === null) return line;
  return (
    <div>
      {line}
      <p className="line-clamp-3 pl-6 text-sm break-words whitespace-pre-wrap">{said}</p>
    </div>
  );
}

/** The answer to a question, or the note of a rejection. */
function saidWith(item: AskItem, settled: Settled): string | null {
  if (item.ask === "question") return answerText(item, settled);
  return settled.note ?? null;
}

/** Keeps its width beside a long rule, which takes the rest of the line. */
const look = "max-w-[60%] min-w-0 truncate text-ink medium:shrink-0";

function About({ item, view }: RequestRowProps) {
  const subject = requestSubject(item, view);
  if (subject === null) return null;
  return subject.isCode ? (
    <code className={clsx(look, "font-mono text-sm")}>{subject.text}</code>
  ) : (
    <span className={look}>{subject.text}</span>
  );
}
