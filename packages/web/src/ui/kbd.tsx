import type { ReactNode } from "react";

/** A keyboard key. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="rounded-input border border-line bg-raised px-1 font-mono text-xs text-soft">
      {children}
    </kbd>
  );
}
