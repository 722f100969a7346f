import { useRef } from "react";

export interface FocusReturn {
  readonly onOpenAutoFocus: (event: Event) => void;
  readonly onCloseAutoFocus: (event: Event) => void;
}

/**
 * Returns the focus to where it was before a dialog opened without a trigger, unless the page has moved it since.
 * `focusFirst` chooses the initial focus.
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
  // Keep the default: the first control.
}
