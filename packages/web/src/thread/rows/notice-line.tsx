import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

const tones = { plain: "text-soft", bad: "text-bad", ask: "text-ask" } as const;

export interface NoticeLineProps {
  readonly icon: LucideIcon;
  readonly tone?: keyof typeof tones;
  readonly children: ReactNode;
  /** A button that solves the problem. */
  readonly action?: ReactNode;
}

/** A one-line notice. */
export function NoticeLine({ icon: Icon, tone = "plain", children, action }: NoticeLineProps) {
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2 text-sm">
      <span className={clsx("flex min-w-0 grow basis-60 gap-2", tones[tone])}>
        <Icon size={16} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0" />
        <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
      </span>
      {action}
    </div>
  );
}
