import type { PlanEntry } from "@agentclientprotocol/sdk";
import { clsx } from "clsx";
import { Circle, CircleCheck, CircleDashed, CircleDot, type LucideIcon } from "lucide-react";
import { useView } from "../state/session.tsx";
import { Chip } from "../ui/chip.tsx";
import { priorityWord, shownStatus, statusWord } from "./plan-text.ts";

export interface PlanListProps {
  readonly entries: readonly PlanEntry[];
}

/** The entries of a plan with their status. */
export function PlanList({ entries }: PlanListProps) {
  const isUnderWay = useView(({ turn }) => turn.state !== "idle", false);
  return (
    <ol className="flex flex-col gap-1.5">
      {keyed(entries).map(({ key, entry }) => {
        const priority = priorityWord(entry.priority);
        const status = shownStatus(entry.status, isUnderWay);
        return (
          <li key={key} className="flex items-start gap-2 text-sm">
            <StatusIcon status={status} />
            <span className="sr-only">{statusWord(status)}: </span>
            <span
              className={clsx(
                "min-w-0 grow break-words",
                status === "completed" && "text-soft line-through decoration-line-strong",
                status === "in_progress" && "font-medium",
              )}
            >
              {entry.content}
            </span>
            {status === "unfinished" ? (
              <span aria-hidden className="shrink-0 text-xs leading-5 text-soft">
                {statusWord(status)}
              </span>
            ) : null}
            {priority === null ? null : <Chip>{priority}</Chip>}
          </li>
        );
      })}
    </ol>
  );
}

const icons: Readonly<Record<string, LucideIcon>> = {
  completed: CircleCheck,
  in_progress: CircleDot,
  unfinished: CircleDashed,
};

function StatusIcon({ status }: { readonly status: string }) {
  const Icon = icons[status] ?? Circle;
  return (
    <Icon
      size={16}
      strokeWidth={1.5}
      aria-hidden
      className={clsx("mt-0.5 shrink-0", status === "in_progress" ? "text-accent" : "text-soft")}
    />
  );
}

/** Entries have no ids: the key is the text, with a number for duplicates. */
function keyed(entries: readonly PlanEntry[]): { key: string; entry: PlanEntry }[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const count = seen.get(entry.content) ?? 0;
    seen.set(entry.content, count + 1);
    return { key: `${entry.content} ${count}`, entry };
  });
}
