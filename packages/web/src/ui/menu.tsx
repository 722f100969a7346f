import { clsx } from "clsx";
import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface MenuProps {
  /** A button that receives the trigger props. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly side?: "top" | "bottom";
  readonly align?: "start" | "end";
}

export function Menu({ trigger, children, side = "bottom", align = "start" }: MenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[min(32rem,var(--radix-dropdown-menu-content-available-height))] max-w-[min(24rem,92vw)] min-w-44 scroll-edges overflow-y-auto rounded-card border border-line bg-float p-1 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const row =
  "touchable flex w-full cursor-default items-start gap-2 pointer-coarse:items-center rounded-input px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-accent-soft data-disabled:opacity-50";

export interface MenuItemProps {
  readonly onSelect: () => void;
  readonly children: ReactNode;
  readonly isBad?: boolean;
  readonly isDisabled?: boolean;
}

export function MenuItem({ onSelect, children, isBad = false, isDisabled = false }: MenuItemProps) {
  return (
    <Radix.Item
      className={clsx(row, isBad && "text-bad")}
      disabled={isDisabled}
      onSelect={onSelect}
    >
      {children}
    </Radix.Item>
  );
}

export interface MenuChoicesProps {
  readonly label?: string;
  readonly value: string;
  readonly choices: readonly {
    readonly value: string;
    readonly name: string;
    readonly about?: string | null;
  }[];
  readonly onChoose: (value: string) => void;
}

/** A radio group; the current value has a tick. */
export function MenuChoices({ label, value, choices, onChoose }: MenuChoicesProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChoose}>
      {label === undefined ? null : <MenuLabel>{label}</MenuLabel>}
      {choices.map((choice) => (
        <Radix.RadioItem key={choice.value} value={choice.value} className={row}>
          <span className="flex size-4 shrink-0 translate-y-0.5 items-center pointer-coarse:translate-y-0">
            <Radix.ItemIndicator>
              <Check size={16} strokeWidth={1.5} aria-hidden />
            </Radix.ItemIndicator>
          </span>
          <span className="min-w-0">
            <span className="block">{choice.name}</span>
            {choice.about ? <span className="block text-xs text-soft">{choice.about}</span> : null}
          </span>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 py-1 text-xs font-medium text-soft">{children}</Radix.Label>;
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
