import { clsx } from "clsx";
import type { ReactNode } from "react";

export interface ScrollRegionProps {
  /** Read out. */
  readonly name: string;
  readonly children: ReactNode;
  readonly className?: string;
}

/** What scrolls has to be reached by the keyboard. */
const focusable = { tabIndex: 0 } as const;

/** Something wider than its place: it scrolls inside itself. */
export function ScrollRegion({ name, children, className }: ScrollRegionProps) {
  return (
    <section aria-label={name} className={clsx("overflow-x-auto", className)} {...focusable}>
      {children}
    </section>
  );
}
