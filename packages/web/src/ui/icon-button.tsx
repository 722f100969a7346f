import { clsx } from "clsx";
import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "name"> {
  readonly icon: LucideIcon;
  /** The accessible name and tooltip. */
  readonly name: string;
}

export function IconButton({ icon: Icon, name, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      className={clsx(
        "touchable inline-flex size-8 shrink-0 items-center justify-center rounded-input text-soft transition-colors hover:bg-raised hover:text-ink disabled:opacity-50",
        className,
      )}
      {...rest}
    >
      <Icon size={16} strokeWidth={1.5} aria-hidden />
    </button>
  );
}
