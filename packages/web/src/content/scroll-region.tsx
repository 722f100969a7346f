import { clsx } from "clsx";
import type { ReactNode } from "react";

export interface ScrollRegionProps {
  /** The accessible name. */
  readonly name: string;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A scroll region must be focusable. It is no landmark, because a conversation has many. */
const focusable = { role: "group", tabIndex: 0 } as const;

/** Wide content with its own scroll bar. */
export function ScrollRegion({ name, children, className }: ScrollRegionProps) {
  return (
    <div aria-label={name} className={clsx("overflow-x-auto", className)} {...focusable}>
      {children}
    </div>
  );
}
