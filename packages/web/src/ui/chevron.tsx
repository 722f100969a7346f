import { clsx } from "clsx";
import { ChevronRight } from "lucide-react";

/** The sign of what opens. Whether it is open, its button says. */
export function Chevron({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <ChevronRight
      size={16}
      strokeWidth={1.5}
      aria-hidden
      className={clsx("shrink-0 text-soft transition-transform", isOpen && "rotate-90")}
    />
  );
}
