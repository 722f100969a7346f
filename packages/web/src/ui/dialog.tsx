import { clsx } from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { IconButton } from "./icon-button.tsx";
import { keepEscape } from "./escape-key.ts";
import { useFocusReturn } from "./use-focus-return.ts";

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** A one-sentence description. */
  readonly about?: ReactNode;
  readonly isWide?: boolean;
  /** False while an action runs that can't be undone. */
  readonly canClose?: boolean;
}

/** Centred; a bottom sheet on a phone. */
export function Dialog(props: DialogProps) {
  const { title, isOpen, onClose, children, about, isWide = false, canClose = true } = props;
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && canClose && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[oklch(0_0_0/0.4)]" />
        <Radix.Content
          {...useFocusReturn(focusWanted)}
          onEscapeKeyDown={keepEscape}
          {...(about === undefined ? { "aria-describedby": undefined } : {})}
          className={clsx(
            "fixed inset-x-0 bottom-0 z-50 flex max-h-[90dvh] flex-col rounded-t-card border border-line bg-float shadow-float",
            "medium:inset-x-auto medium:top-[12vh] medium:bottom-auto medium:left-1/2 medium:max-h-[76vh] medium:-translate-x-1/2 medium:rounded-card",
            isWide ? "medium:w-[min(56rem,92vw)]" : "medium:w-[min(34rem,92vw)]",
          )}
        >
          <header className="flex items-start gap-2 px-4 pt-3 pb-2">
            <div className="min-w-0 grow">
              <Radix.Title className="font-semibold">{title}</Radix.Title>
              {about === undefined ? null : (
                <Radix.Description className="text-sm text-soft">{about}</Radix.Description>
              )}
            </div>
            {canClose ? (
              <Radix.Close asChild>
                <IconButton icon={X} name="Close" className="-mt-1 -mr-1 pointer-coarse:-mt-2.5" />
              </Radix.Close>
            ) : null}
          </header>
          <div className="min-h-0 scroll-edges overflow-y-auto px-4 pb-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Focuses the element with `data-autofocus`, or else the first control. */
function focusWanted(event: Event): void {
  if (!(event.target instanceof HTMLElement)) return;
  const wanted = event.target.querySelector<HTMLElement>("[data-autofocus]");
  if (!wanted) return;
  event.preventDefault();
  wanted.focus();
  // Puts the caret at the end of existing text.
  if (wanted instanceof HTMLTextAreaElement)
    wanted.setSelectionRange(wanted.value.length, wanted.value.length);
}
