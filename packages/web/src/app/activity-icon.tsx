import { clsx } from "clsx";
import { Circle, CloudOff, Diamond, OctagonX, TriangleAlert, type LucideIcon } from "lucide-react";
import { activityText, type DisplayedActivity } from "./session-activity.ts";

const marks: Readonly<Record<DisplayedActivity, { icon: LucideIcon; className: string }>> = {
  waiting: { icon: Circle, className: "text-soft scale-[0.6] fill-current" },
  starting: { icon: Circle, className: "animate-breathe text-accent scale-[0.6] fill-current" },
  thinking: { icon: Circle, className: "animate-breathe text-accent scale-[0.6] fill-current" },
  working: { icon: Circle, className: "text-accent scale-[0.6] fill-current" },
  cancelling: { icon: Circle, className: "text-soft scale-[0.6] fill-current" },
  asking: { icon: Diamond, className: "text-ask fill-current" },
  stalled: { icon: TriangleAlert, className: "text-ask" },
  failed: { icon: OctagonX, className: "text-bad" },
  idle: { icon: Circle, className: "text-soft scale-75" },
  closed: { icon: Circle, className: "text-soft scale-75 opacity-50" },
  offline: { icon: CloudOff, className: "text-soft" },
};

export interface ActivityIconProps {
  readonly doing: DisplayedActivity;
  /** `hidden` text is for screen readers only. */
  readonly word?: "hidden" | "visible";
}

export function ActivityIcon({ doing, word = "hidden" }: ActivityIconProps) {
  const { icon: Icon, className } = marks[doing];
  return (
    <span className="inline-flex shrink-0 items-center gap-1" title={activityText[doing]}>
      <Icon size={16} strokeWidth={1.5} aria-hidden className={clsx("shrink-0", className)} />
      <span className={word === "hidden" ? "sr-only" : undefined}>{activityText[doing]}</span>
    </span>
  );
}
