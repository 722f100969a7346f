import { clsx } from "clsx";
import { File, Folder } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Suggestion } from "./suggestion.ts";

export interface SuggestionsProps {
  readonly id: string;
  readonly label: string;
  readonly rows: readonly Suggestion[];
  /** Shown in place of rows. */
  readonly words: string | null;
  readonly active: number;
  /** Over the field, or below it, where the list moves the content that follows. */
  readonly placement: "over" | "below";
  readonly onPoint: (active: number) => void;
  readonly onChoose: (row: Suggestion) => void;
}

export const optionId = (id: string, position: number): string => `${id}-${position}`;

const icons = { command: null, file: File, folder: Folder } as const;

const placements = {
  over: "absolute inset-x-0 bottom-full z-30 mb-1 shadow-float",
  below: "mx-2 mb-2",
} as const;

/** The list of commands or files. The field keeps the focus. */
export function Suggestions(props: SuggestionsProps) {
  const { id, label, rows, words, active, placement, onPoint, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      className={clsx(
        "overflow-hidden rounded-card border border-line bg-float",
        placements[placement],
      )}
    >
      <output className="block px-3 py-2 text-sm text-soft empty:hidden">
        {rows.length === 0 ? words : null}
      </output>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={label}
        className={clsx(
          "max-h-[min(18rem,36dvh)] scroll-edges overflow-y-auto p-1",
          rows.length === 0 && "hidden",
        )}
      >
        {rows.map((row, position) => {
          const Icon = icons[row.kind];
          return (
            <div
              key={row.key}
              id={optionId(id, position)}
              role="option"
              tabIndex={-1}
              aria-selected={position === active}
              className="touchable flex cursor-default items-center gap-2 rounded-input px-2 py-1 text-sm aria-selected:bg-accent-soft"
              onPointerMove={() => position === active || onPoint(position)}
              // Keeps the focus in the field.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(row)}
              onKeyDown={(event) => event.key === "Enter" && onChoose(row)}
            >
              {Icon === null ? null : (
                <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
              )}
              {row.kind === "command" ? (
                <CommandWords row={row} />
              ) : (
                <>
                  <span className="max-w-[70%] shrink-0 truncate font-mono">{row.name}</span>
                  {row.about === null ? null : (
                    <span className="min-w-0 grow truncate text-soft">{row.about}</span>
                  )}
                </>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The description is on its own line, because the input hint takes the space beside the name. */
function CommandWords({ row }: { readonly row: Suggestion }) {
  return (
    <span className="flex min-w-0 grow flex-col">
      <span className="truncate font-mono">
        {row.name}
        {row.hint === null ? null : <span className="text-soft"> {row.hint}</span>}
      </span>
      {row.about === null ? null : (
        <span className="line-clamp-2 text-xs text-soft">{row.about}</span>
      )}
    </span>
  );
}
