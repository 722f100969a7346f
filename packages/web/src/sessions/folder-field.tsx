import { useSessions } from "@landline/client/react";
import { useId, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useMe } from "../state/session.tsx";
import { FolderChoices } from "./folder-choices.tsx";
import { fullFolder, shortFolder, splitTyped, withoutSlash, withSlash } from "./folder-path.ts";
import { recentFolders, suggestFolders, type FolderSuggestion } from "./folder-suggestions.ts";
import { useFolders } from "./use-folders.ts";

export interface FolderFieldProps {
  readonly folder: string;
  readonly onChange: (folder: string) => void;
  /** Called when Enter accepts the path. */
  readonly onTaken?: () => void;
}

/** A path field with suggestions; recent folders first. */
export function FolderField({ folder, onChange, onTaken }: FolderFieldProps) {
  const me = useMe();
  const home = me?.home ?? null;
  // Null while the field has no focus.
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(-1);
  const id = useId();
  const isOpen = typed !== null;
  const path = fullFolder(typed ?? folder, home);
  const { value: listing, failure } = useFolders(isOpen ? splitTyped(path).folder : null);
  const { sessions } = useSessions();
  const recent = useMemo(() => recentFolders(sessions, me?.cwd ?? null), [sessions, me?.cwd]);
  const suggestions = isOpen
    ? suggestFolders({ path, isUntouched: path === folder, recent, listing })
    : [];
  const type = (text: string | null) => {
    setTyped(text);
    setActive(-1);
  };
  const choose = ({ path: chosen, kind }: FolderSuggestion) => {
    onChange(chosen);
    type(kind === "recent" ? null : withSlash(shortFolder(chosen, home)));
  };
  const leave = () => {
    if (isOpen && path !== "") onChange(withoutSlash(path));
    type(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = suggestions[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) type(shortFolder(folder, home));
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive(Math.max(-1, Math.min(suggestions.length - 1, active + step)));
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen) {
      event.preventDefault();
      choose(chosen);
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      leave();
      onTaken?.();
    } else if (event.key === "Escape" && isOpen) {
      leave();
    }
  };
  const shown = typed ?? shortFolder(folder, home);
  const fieldRef = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    // Shows the end of a long path.
    const field = fieldRef.current;
    if (field && !isOpen && shown !== "") field.scrollLeft = field.scrollWidth;
  }, [shown, isOpen]);
  return (
    <div>
      <label className="flex items-center gap-2 text-sm">
        <span className="text-soft">Folder</span>
        <input
          ref={fieldRef}
          role="combobox"
          title={folder}
          data-keeps-escape={isOpen ? "" : undefined}
          aria-expanded={isOpen}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
          value={shown}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onClick={() => isOpen || type(shortFolder(folder, home))}
          onBlur={leave}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
          className="touchable min-w-0 grow rounded-input border border-line bg-page px-2 py-1 font-mono"
        />
      </label>
      {isOpen ? (
        <FolderChoices
          id={id}
          suggestions={suggestions}
          active={active}
          onChoose={choose}
          note={failure ?? (listing?.isCut ? "Type more to see the others." : null)}
        />
      ) : null}
    </div>
  );
}
