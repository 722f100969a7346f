import { clsx } from "clsx";
import type { ReactNode } from "react";

const tones = {
  plain: "border-line text-soft",
  accent: "border-transparent bg-accent-soft text-accent",
  ask: "border-transparent bg-ask-soft text-ask",
  bad: "border-transparent bg-bad-soft text-bad",
  good: "border-transparent bg-good-soft text-good",
} as const;

export interface ChipProps {
  readonly tone?: keyof typeof tones;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A short label or count. */
export function Chip({ tone = "plain", children, className }: ChipProps) {
  return (
    <span
      className={clsx(
        "inline-flex items-center gap-1 rounded-full border px-2 text-xs leading-5 whitespace-nowrap",
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
