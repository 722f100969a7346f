import { useAgents, useSessions } from "@landline/client/react";
import { Command } from "cmdk";
import { History } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { useState } from "react";
import { shortFolder } from "../sessions/folder-path.ts";
import { titleOf } from "../sessions/session-groups.ts";
import { Marked } from "../sessions/search-results.tsx";
import { useSearch } from "../sessions/use-search.ts";
import { getPreferences } from "../state/preferences.ts";
import { SessionProvider, useMe, useOnlySession } from "../state/session.tsx";
import { matchScore } from "../ui/match-score.ts";
import { useFocusReturn } from "../ui/use-focus-return.ts";
import { activeShortcuts } from "./shortcuts.ts";
import { openAgentSessions } from "./overlay.ts";
import { pageActions } from "./palette-actions.ts";
import { Group, groupClass, Row, rowClass, type RunProps } from "./palette-row.tsx";
import { PaletteSession } from "./palette-session.tsx";
import { go, goToSession } from "./routes.ts";
import { activityOfSummary } from "./session-activity.ts";
import { ActivityIcon } from "./activity-icon.tsx";
import { useRoute } from "./use-route.ts";

export interface PaletteProps {
  readonly onClose: () => void;
}

/** Command palette: finds actions and sessions by a few letters. */
export function Palette({ onClose }: PaletteProps) {
  const [text, setText] = useState("");
  const route = useRoute();
  const isWatcher = useMe()?.role === "watch";
  const isLimited = useOnlySession() !== null;
  const run = (action: () => void) => {
    onClose();
    action();
  };
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[oklch(0_0_0/0.4)]" />
        <Radix.Content
          aria-describedby={undefined}
          {...useFocusReturn()}
          className="fixed inset-x-2 top-[max(0.5rem,env(safe-area-inset-top))] z-50 rounded-card border border-line bg-float shadow-float medium:inset-x-auto medium:top-[12vh] medium:left-1/2 medium:w-[min(36rem,92vw)] medium:-translate-x-1/2"
        >
          <Radix.Title className="sr-only">Find a conversation or an action</Radix.Title>
          <Command label="Find a conversation or an action" loop filter={score}>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Find a conversation or an action"
              className="w-full border-b border-line bg-transparent px-4 py-3 outline-none placeholder:text-soft"
            />
            <Command.List className="max-h-[min(24rem,60dvh)] scroll-edges overflow-y-auto rounded-b-card p-1">
              <Command.Empty className="px-3 py-2 text-sm text-soft">No results.</Command.Empty>
              {isLimited ? null : <Sessions onRun={run} />}
              {"sessionId" in route ? (
                <SessionProvider sessionId={route.sessionId}>
                  <PaletteSession onRun={run} />
                </SessionProvider>
              ) : null}
              <Group name="Actions">
                {pageActions(!isWatcher, isLimited).map(({ name, icon, run: action, keyId }) => (
                  <Row
                    key={name}
                    icon={icon}
                    onSelect={() => run(action)}
                    keyCombo={comboOf(keyId)}
                  >
                    {name}
                  </Row>
                ))}
                {isWatcher || isLimited ? null : <AgentSessionRows onRun={run} />}
              </Group>
              {text.trim().length > 1 ? <Hits text={text.trim()} onRun={run} /> : null}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Sessions({ onRun }: RunProps) {
  const { sessions } = useSessions();
  const home = useMe()?.home ?? null;
  if (sessions.length === 0) return null;
  return (
    <Group name="Conversations">
      {sessions.map((session) => (
        <Command.Item
          key={session.sessionId}
          value={session.sessionId}
          keywords={[titleOf(session.title, session.firstPrompt), session.cwd]}
          onSelect={() => onRun(() => goToSession(session.sessionId))}
          className={rowClass}
        >
          <ActivityIcon doing={activityOfSummary(session)} />
          <span className="min-w-0 grow truncate">
            {titleOf(session.title, session.firstPrompt)}
          </span>
          <span className="max-w-[40%] shrink-0 truncate font-mono text-xs text-soft">
            {shortFolder(session.cwd, home)}
          </span>
        </Command.Item>
      ))}
    </Group>
  );
}

/** One row for each agent that can be started. */
function AgentSessionRows({ onRun }: RunProps) {
  const agents = useAgents() ?? [];
  return agents
    .filter(({ found }) => found)
    .map(({ id, name }) => (
      <Row key={id} icon={History} onSelect={() => onRun(() => openAgentSessions(id))}>
        {`Continue a conversation of ${name}…`}
      </Row>
    ));
}

function Hits({ text, onRun }: RunProps & { readonly text: string }) {
  const found = useSearch(text);
  if (found.state !== "found" || found.hits.length === 0) return null;
  return (
    <Command.Group heading="In conversations" className={groupClass} forceMount>
      {found.hits.slice(0, 20).map(({ sessionId, seq, snippet }) => (
        <Command.Item
          key={`${sessionId} ${seq}`}
          value={`hit ${sessionId} ${seq}`}
          forceMount
          onSelect={() => onRun(() => go({ name: "session", sessionId, at: seq }))}
          className={rowClass}
        >
          <span className="line-clamp-2 [overflow-wrap:anywhere]">
            <Marked {...snippet} />
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

/** A session is found by its keywords, because its value is an id. */
function score(value: string, typed: string, keywords: string[] = []): number {
  return matchScore(keywords.length > 0 ? keywords.join(" ") : value, typed);
}

function comboOf(keyId: string | undefined): string | undefined {
  if (keyId === undefined) return undefined;
  const groups = activeShortcuts(getPreferences().hasSingleKeys);
  return groups.flatMap(({ keys }) => keys).find(({ id }) => id === keyId)?.combos[0];
}
