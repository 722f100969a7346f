import { PanelLeft } from "lucide-react";
import type { ReactNode } from "react";
import { usePreferences } from "../state/preferences.ts";
import { useOnlySession } from "../state/session.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { toggleList } from "./toggle-columns.ts";
import { medium, useMediaQuery } from "./use-media-query.ts";

export interface PageHeaderProps {
  readonly title: ReactNode;
  readonly children?: ReactNode;
}

/** The header of the main column. */
export function PageHeader({ title, children }: PageHeaderProps) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2">
      <ListButton />
      <h1 tabIndex={-1} className="min-w-0 grow truncate px-2 font-semibold outline-none">
        {title}
      </h1>
      {children}
    </header>
  );
}

/** Opens the list if it is not visible. */
export function ListButton() {
  const { isListShown } = usePreferences();
  const hasColumn = useMediaQuery(medium);
  const isLimited = useOnlySession() !== null;
  if (isLimited || (hasColumn && isListShown)) return null;
  return <IconButton icon={PanelLeft} name="Show conversations" onClick={toggleList} />;
}
