import { useRef } from "react";

export interface FocusReturn {
  readonly onOpenAutoFocus: (event: Event) => void;
  readonly onCloseAutoFocus: (event: Event) => void;
}

/**
 * What is opened by a key or by a menu that is gone has no trigger to go back to: the focus goes to where it was,
 * unless the page has put it elsewhere meanwhile. `focusFirst` decides where it goes at first.
 */
export function useFocusReturn(focusFirst: (event: Event) => void = nowhereElse): FocusReturn {
  const before = useRef<HTMLElement | null>(null);
  return {
    onOpenAutoFocus: (event) => {
      const active = document.activeElement;
      const isInside = event.target instanceof Node && event.target.contains(active);
      if (active instanceof HTMLElement && !isInside) before.current = active;
      focusFirst(event);
    },
    onCloseAutoFocus: (event) => {
      event.preventDefault();
      if (document.activeElement === document.body) before.current?.focus({ preventScroll: true });
    },
  };
}

function nowhereElse(): void {
  // On the first control, as ever.
}
