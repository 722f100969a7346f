import { useId, useState, type ReactNode } from "react";
import { Chevron } from "./chevron.tsx";

export interface DisclosureProps {
  /** The part that is always visible. */
  readonly summary: ReactNode;
  /** Rendered only when open. */
  readonly children: () => ReactNode;
  readonly isOpenAtFirst?: boolean;
  readonly className?: string;
}

export function Disclosure({
  summary,
  children,
  isOpenAtFirst = false,
  className,
}: DisclosureProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="touchable flex w-full min-w-0 items-center gap-1.5 rounded-input text-left text-sm hover:bg-raised"
      >
        <Chevron isOpen={isOpen} />
        <span className="min-w-0 grow">{summary}</span>
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen ? children() : null}
      </div>
    </div>
  );
}
