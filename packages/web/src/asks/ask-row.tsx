import type { AskItem, SessionView } from "@landline/protocol";
import { clsx } from "clsx";
import { CircleHelp, CircleSlash, ShieldCheck, ShieldQuestion, ShieldX } from "lucide-react";
import { memo } from "react";
import { useMe } from "../state/session.tsx";
import { rowWords } from "../tools/row-words.ts";
import { toolSubject } from "../tools/tool-subject.ts";
import { toolCallOf } from "./ask-lookup.ts";
import {
  messageOf,
  optionWords,
  settledWords,
  verdictOf,
  type Settled,
  type Verdict,
} from "./ask-words.ts";
import { focusDock } from "./dock-focus.ts";
import { useRuleText } from "./rule-words.ts";

export interface AskRowProps {
  readonly item: AskItem;
  readonly view: SessionView;
}

/** An ask where it happened. Of the view it reads the call that it is about, which stands before it. */
export const AskRow = memo(
  function AskRow({ item, view }: AskRowProps) {
    const about = <About item={item} view={view} />;
    return item.settled === null ? (
      <button
        type="button"
        onClick={() => focusDock()}
        className="touchable flex w-full min-w-0 items-center gap-2 rounded-card border border-ask bg-ask-soft px-3 py-1.5 text-left text-sm"
      >
        <ShieldQuestion size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-ask" />
        <span className="shrink-0 font-medium text-ask">Waiting for you</span>
        {about}
      </button>
    ) : (
      <SettledRow item={item} settled={item.settled}>
        {about}
      </SettledRow>
    );
  },
  (before, after) => before.item === after.item,
);

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
  readonly children: React.ReactNode;
}

function SettledRow({ item, settled, children }: SettledRowProps) {
  const me = useMe();
  const { by } = settled;
  const rule = useRuleText("rule" in by ? by.rule : null);
  const { icon: Icon, look } = icons[verdictOf(item, settled)];
  const option = optionWords(item, settled);
  return (
    <p className="flex min-w-0 items-center gap-2 text-sm text-soft">
      <Icon size={16} strokeWidth={1.5} aria-hidden className={clsx("shrink-0", look)} />
      <span className="shrink-0">{settledWords(item, settled, me)}</span>
      {children}
      {rule === null && option === null ? null : (
        <span className="min-w-0 truncate" title={rule ?? option ?? undefined}>
          · {rule ?? option}
        </span>
      )}
    </p>
  );
}

function About({ item, view }: AskRowProps) {
  if (item.ask === "question")
    return <span className="min-w-0 truncate text-ink">{messageOf(item.request)}</span>;
  const toolCall = toolCallOf(view, item);
  if (toolCall === null) return null;
  const { title, target } = rowWords(toolCall, toolSubject(toolCall), view.session.cwd);
  return target === null ? (
    <span className="min-w-0 truncate text-ink">{title}</span>
  ) : (
    <code className="min-w-0 truncate font-mono text-sm text-ink">{target}</code>
  );
}
