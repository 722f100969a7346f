import { useId, type ReactNode } from "react";
import { useDisclosure } from "../tools/use-disclosure.ts";
import { Chevron } from "../ui/chevron.tsx";

export interface SectionProps {
  readonly name: string;
  /** Text beside the name. */
  readonly about?: ReactNode;
  readonly isOpenAtFirst?: boolean;
  /** Rendered only when open. */
  readonly children: () => ReactNode;
}

/** A collapsible section; its state is kept in memory. */
export function Section({ name, about, isOpenAtFirst = true, children }: SectionProps) {
  const [isOpen, setOpen] = useDisclosure(`panel ${name}`, isOpenAtFirst);
  const id = useId();
  return (
    <section aria-label={name} className="border-b border-line last:border-b-0">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="touchable flex w-full min-w-0 items-center gap-1.5 px-3 py-2 text-left text-sm hover:bg-raised"
        >
          <Chevron isOpen={isOpen} />
          <span className="grow font-medium">{name}</span>
          <span className="shrink-0 text-xs text-soft">{about}</span>
        </button>
      </h2>
      <div id={id} hidden={!isOpen} className="px-3 pb-3">
        {isOpen ? children() : null}
      </div>
    </section>
  );
}
