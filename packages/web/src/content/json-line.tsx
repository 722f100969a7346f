import { clsx } from "clsx";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import "./code.css";

export interface JsonLineProps {
  readonly name: string | undefined;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
  /** Given for what opens. */
  readonly onToggle?: () => void;
}

/** A name and what it is. */
export function JsonLine({ name, children, isOpen = false, onToggle }: JsonLineProps) {
  const label = name === undefined ? null : <span className="code-property">{name}: </span>;
  if (!onToggle) {
    return (
      <div className="pl-5">
        {label}
        {children}
      </div>
    );
  }
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="touchable flex items-center gap-1 rounded-input text-left hover:bg-raised"
    >
      <ChevronRight
        size={16}
        strokeWidth={1.5}
        aria-hidden
        className={clsx("shrink-0 text-soft transition-transform", isOpen && "rotate-90")}
      />
      <span>
        {label}
        {children}
      </span>
    </button>
  );
}
