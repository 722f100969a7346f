import { clsx } from "clsx";
import { ListChecks } from "lucide-react";
import { useState } from "react";
import { usePreferences } from "../state/preferences.ts";
import { useView } from "../state/session.tsx";
import { PlanList } from "./plan-list.tsx";
import { planProgress } from "./plan-text.ts";

const none: readonly never[] = [];

/**
 * The running plan in one line: "3 of 5 · Write tests". It opens to the list. Hidden if the panel is visible or a
 * request is open.
 */
export function PlanStrip() {
  const plan = useView((view) => view.plan, none);
  const [isOpen, setOpen] = useState(false);
  const { isPanelShown } = usePreferences();
  const isUnderWay = useView(
    ({ turn, openAsks }) => turn.state !== "idle" && openAsks.length === 0,
    false,
  );
  const { done, all, current } = planProgress(plan);
  if (all === 0 || current === null || !isUnderWay) return null;
  return (
    <div
      className={clsx(
        "mb-2 min-w-0 rounded-card border border-line",
        isPanelShown && "wide:hidden",
      )}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="touchable flex w-full min-w-0 items-center gap-2 rounded-card px-3 py-1.5 text-left text-sm hover:bg-raised"
      >
        <ListChecks size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
        <span className="shrink-0 text-soft">
          <span className="sr-only">Plan: </span>
          {done} of {all}
        </span>
        <span aria-hidden className="text-soft">
          ·
        </span>
        <span className="min-w-0 truncate">{current}</span>
      </button>
      {isOpen ? (
        <div className="max-h-[30dvh] overflow-y-auto px-3 pt-1 pb-3">
          <PlanList entries={plan} />
        </div>
      ) : null}
    </div>
  );
}
