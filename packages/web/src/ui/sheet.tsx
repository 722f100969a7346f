import { clsx } from "clsx";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { keepEscape } from "./escape-key.ts";
import { useFocusReturn } from "./use-focus-return.ts";

export interface SheetProps {
  /** The accessible name; the content has its own heading. */
  readonly name: string;
  readonly side: "left" | "right";
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A side column of wide screens, as a sheet that slides in on narrow ones. */
export function Sheet({ name, side, isOpen, onClose, children }: SheetProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[oklch(0_0_0/0.4)]" />
        <Radix.Content
          aria-describedby={undefined}
          {...useFocusReturn(focusItself)}
          onEscapeKeyDown={keepEscape}
          className={clsx(
            "fixed inset-y-0 z-50 flex w-[min(22rem,88vw)] flex-col bg-page pt-[env(safe-area-inset-top)] shadow-float outline-none",
            side === "left" ? "left-0 border-r border-line" : "right-0 border-l border-line",
          )}
        >
          <Radix.Title className="sr-only">{name}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Focuses the sheet, because a focused field would open the keyboard on a phone. */
function focusItself(event: Event): void {
  event.preventDefault();
  if (event.target instanceof HTMLElement) event.target.focus();
}
