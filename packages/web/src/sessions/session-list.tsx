import { useSessions } from "@landline/client/react";
import type { SessionSummary } from "@landline/protocol";
import { PanelLeftClose, Plus, Search, Settings2 } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { toggleList } from "../app/toggle-columns.ts";
import { closeOverlay, openOverlay } from "../app/overlay.ts";
import { useRoute } from "../app/use-route.ts";
import { runCommand } from "../state/run-command.ts";
import { useMe } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { moveByArrows } from "../ui/move-by-arrows.ts";
import { folderName, shortFolder } from "./folder-path.ts";
import { groupSessions } from "./session-groups.ts";
import { SearchResults } from "./search-results.tsx";
import { SessionRow } from "./session-row.tsx";
import { useAgentNames } from "./use-agent-names.ts";

/** The minimum length of a full-text query. */
const searchedFrom = 2;

export function SessionList() {
  const [text, setText] = useState("");
  const listRef = useRef<HTMLDivElement>(null);
  const isSearching = text.trim().length >= searchedFrom;
  const isWatcher = useMe()?.role === "watch";
  return (
    <div
      ref={listRef}
      role="presentation"
      className="flex min-h-0 grow flex-col"
      onKeyDown={(event) => moveByArrows(event, listRef.current)}
    >
      <div className="flex min-h-12 shrink-0 items-center gap-1 px-2 py-1">
        <SearchField text={text} onChange={setText} />
        <IconButton icon={PanelLeftClose} name="Hide conversations" onClick={toggleList} />
      </div>
      <div className="min-h-0 grow overflow-y-auto px-2 pt-1 pb-2">
        <Groups text={text} isSearching={isSearching} />
        {isSearching ? (
          <section aria-label="In conversations" className="mt-3">
            <Heading>In conversations</Heading>
            <SearchResults text={text.trim()} />
          </section>
        ) : null}
      </div>
      <div className="flex shrink-0 items-center gap-1 border-t border-line p-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
        {isWatcher ? (
          <p className="grow px-2 text-sm text-soft">This browser has read-only access.</p>
        ) : (
          <Button className="grow" onClick={() => openOverlay({ name: "new-session" })}>
            <Plus size={16} strokeWidth={1.5} aria-hidden />
            New conversation
          </Button>
        )}
        <a
          href="#/settings/preferences"
          aria-label="Settings"
          title="Settings"
          onClick={closeOverlay}
          className="touchable inline-flex size-8 items-center justify-center rounded-input text-soft hover:bg-raised hover:text-ink"
        >
          <Settings2 size={16} strokeWidth={1.5} aria-hidden />
        </a>
      </div>
    </div>
  );
}

interface SearchFieldProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function SearchField({ text, onChange }: SearchFieldProps) {
  return (
    <label className="relative flex min-w-0 grow items-center">
      <span className="sr-only">Search conversations</span>
      <Search
        size={16}
        strokeWidth={1.5}
        aria-hidden
        className="pointer-events-none absolute left-2 text-soft"
      />
      <input
        type="search"
        value={text}
        placeholder="Search"
        data-search
        {...(text === "" ? {} : { "data-keeps-escape": "" })}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text !== "") {
            event.stopPropagation();
            onChange("");
          }
        }}
        className="touchable h-8 w-full min-w-0 rounded-input border border-line bg-page pr-2 pl-8 text-sm placeholder:text-soft"
      />
    </label>
  );
}

interface GroupsProps {
  readonly text: string;
  readonly isSearching: boolean;
}

function Groups({ text, isSearching }: GroupsProps) {
  const { sessions, isLoaded, hasMore, loadMore } = useSessions();
  const { groups, closed } = useMemo(() => groupSessions(sessions, text), [sessions, text]);
  const me = useMe();
  const home = me?.home ?? null;
  const isWatcher = me?.role === "watch";
  if (!isLoaded) return <p className="px-2 py-1.5 text-sm text-soft">Loading conversations…</p>;
  return (
    <>
      {groups.map(({ folder, sessions: members }) => (
        <section key={folder} aria-label={folder} className="mt-3 first:mt-0">
          <Heading title={shortFolder(folder, home)}>{folderName(folder)}</Heading>
          <Rows sessions={members} />
        </section>
      ))}
      {groups.length + closed.length === 0 && (sessions.length === 0 || !isSearching) ? (
        <p className="px-2 py-1.5 text-sm text-soft">
          {sessions.length === 0
            ? isWatcher
              ? "Conversations will appear here."
              : "Your conversations will appear here. Start one below."
            : "No matching titles or folders."}
        </p>
      ) : null}
      {closed.length > 0 ? (
        <Disclosure
          key={isSearching ? "searching" : "all"}
          isOpenAtFirst={isSearching}
          className="mt-3"
          summary={<span className="text-xs text-soft">Closed ({closed.length})</span>}
        >
          {() => <Rows sessions={closed} />}
        </Disclosure>
      ) : null}
      {hasMore ? (
        <Button variant="quiet" className="mt-2 w-full" onClick={() => void runCommand(loadMore())}>
          Show older conversations
        </Button>
      ) : null}
    </>
  );
}

function Rows({ sessions }: { readonly sessions: readonly SessionSummary[] }) {
  const route = useRoute();
  const agentName = useAgentNames();
  const currentId = "sessionId" in route ? route.sessionId : null;
  return (
    <ul>
      {sessions.map((session) => (
        <SessionRow
          key={session.sessionId}
          session={session}
          agentName={agentName(session.agent)}
          isCurrent={session.sessionId === currentId}
        />
      ))}
    </ul>
  );
}

interface HeadingProps {
  readonly children: ReactNode;
  readonly title?: string;
}

function Heading({ children, title }: HeadingProps) {
  return (
    <h2 title={title} className="truncate px-2 pb-1 text-xs font-medium text-soft">
      {children}
    </h2>
  );
}
