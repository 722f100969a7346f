import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import { ContextMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface ContextMenuProps {
  readonly actions: readonly {
    readonly name: string;
    readonly icon: LucideIcon;
    readonly run: () => void;
    readonly isBad?: boolean;
  }[];
  /** The element that opens the menu on right click or long press. */
  readonly children: ReactNode;
}

export function ContextMenu({ actions, children }: ContextMenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          collisionPadding={8}
          className="z-50 min-w-44 rounded-card border border-line bg-float p-1 shadow-float"
        >
          {actions.map(({ name, icon: Icon, run, isBad = false }) => (
            <Radix.Item
              key={name}
              onSelect={run}
              className={clsx(
                "touchable flex cursor-default items-center gap-2 rounded-input px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-accent-soft",
                isBad && "text-bad",
              )}
            >
              <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0" />
              {name}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
