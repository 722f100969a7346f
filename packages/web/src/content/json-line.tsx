import type { ReactNode } from "react";
import "./code.css";
import { Chevron } from "../ui/chevron.tsx";

export interface JsonLineProps {
  readonly name: string | undefined;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
  /** Set if the line can be opened. */
  readonly onToggle?: () => void;
}

/** A key and its value. */
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
      <Chevron isOpen={isOpen} />
      <span>
        {label}
        {children}
      </span>
    </button>
  );
}
