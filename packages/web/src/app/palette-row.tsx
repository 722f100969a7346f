import { Command } from "cmdk";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Kbd } from "../ui/kbd.tsx";
import { capsOf } from "./shortcuts.ts";
import { isMac } from "./platform.ts";

export interface RunProps {
  /** Closes the palette, then runs the action. */
  readonly onRun: (action: () => void) => void;
}

export interface GroupProps {
  readonly name: string;
  readonly children: ReactNode;
}

export function Group({ name, children }: GroupProps) {
  return (
    <Command.Group heading={name} className={groupClass}>
      {children}
    </Command.Group>
  );
}

export interface RowProps {
  readonly icon: LucideIcon;
  readonly onSelect: () => void;
  readonly children: string;
  readonly keyCombo?: string | undefined;
}

export function Row({ icon: Icon, onSelect, children, keyCombo }: RowProps) {
  return (
    <Command.Item value={children} onSelect={onSelect} className={rowClass}>
      <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
      <span className="min-w-0 grow truncate">{children}</span>
      {keyCombo === undefined ? null : (
        <span className="flex shrink-0 gap-0.5">
          {capsOf(keyCombo, isMac).map((cap) => (
            <Kbd key={cap}>{cap}</Kbd>
          ))}
        </span>
      )}
    </Command.Item>
  );
}

export const groupClass =
  "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-soft";

export const rowClass =
  "touchable flex cursor-default items-center gap-2 rounded-input px-2 py-1.5 text-sm select-none data-[selected=true]:bg-accent-soft";
