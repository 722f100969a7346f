import { clsx } from "clsx";
import { ChevronRight } from "lucide-react";

/** Decorative: the button has `aria-expanded`. */
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
