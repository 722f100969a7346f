import { CornerLeftUp, Folder, History } from "lucide-react";
import { useEffect, useRef } from "react";
import { useMe } from "../state/session.tsx";
import { shortFolder } from "./folder-path.ts";
import type { FolderSuggestion } from "./folder-suggestions.ts";

const icons = { recent: History, parent: CornerLeftUp, child: Folder } as const;

export interface FolderChoicesProps {
  readonly id: string;
  readonly suggestions: readonly FolderSuggestion[];
  readonly active: number;
  readonly onChoose: (suggestion: FolderSuggestion) => void;
  readonly note: string | null;
}

export function FolderChoices({ id, suggestions, active, onChoose, note }: FolderChoicesProps) {
  const home = useMe()?.home ?? null;
  const listRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    listRef.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div className="mt-1 rounded-card border border-line bg-float shadow-float">
      <div
        ref={listRef}
        id={id}
        role="listbox"
        aria-label="Folders"
        className="max-h-56 scroll-edges overflow-y-auto p-1"
      >
        {suggestions.map((suggestion, index) => {
          const { kind, path, name } = suggestion;
          const Icon = icons[kind];
          return (
            <div
              key={`${kind} ${path}`}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // Keeps the focus in the field; a blur would close the list.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onChoose(suggestion)}
              onKeyDown={(event) => event.key === "Enter" && onChoose(suggestion)}
              className="touchable flex cursor-default items-center gap-2 rounded-input px-2 py-1 text-sm hover:bg-accent-soft aria-selected:bg-accent-soft"
            >
              <Icon size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-soft" />
              <span className="truncate font-mono">
                {kind === "recent" ? shortFolder(path, home) : name}
              </span>
            </div>
          );
        })}
      </div>
      <output className="block px-3 pb-2 text-xs text-soft empty:hidden">{note}</output>
    </div>
  );
}
