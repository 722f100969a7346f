import type { Snippet } from "@landline/client";
import { useSessions } from "@landline/client/react";
import { useMemo, type ReactNode } from "react";
import { closeOverlay } from "../shell/overlay.ts";
import { hrefOf } from "../shell/routes.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import { titleOf } from "./groups.ts";
import { useSearch } from "./use-search.ts";

export interface SearchResultsProps {
  readonly text: string;
}

/** What was said in any session. A hit leads to where it was said. */
export function SearchResults({ text }: SearchResultsProps) {
  const found = useSearch(text);
  const { sessions } = useSessions();
  const titles = useMemo(
    () =>
      new Map(
        sessions.map(({ sessionId, title, firstPrompt }) => [
          sessionId,
          titleOf(title, firstPrompt),
        ]),
      ),
    [sessions],
  );
  if (found.state === "searching") return <Line>Searching…</Line>;
  if (found.state === "failed") return <Line>{found.message}</Line>;
  if (found.hits.length === 0) return <Line>Nothing in any conversation has these words.</Line>;
  return (
    <ul aria-label="Found in conversations">
      {found.hits.map(({ sessionId, seq, at, snippet }) => (
        <li key={`${sessionId} ${seq}`}>
          <a
            href={hrefOf({ name: "session", sessionId, at: seq })}
            data-row
            onClick={closeOverlay}
            className="touchable block rounded-input px-2 py-1.5 hover:bg-raised"
          >
            <span className="flex gap-2 text-xs text-soft">
              <span className="min-w-0 grow truncate">
                {titles.get(sessionId) ?? "An older session"}
              </span>
              <span className="shrink-0 whitespace-nowrap">
                <RelativeTime at={at} />
              </span>
            </span>
            <span className="line-clamp-3 text-sm [overflow-wrap:anywhere]">
              <Marked {...snippet} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Line({ children }: { readonly children: ReactNode }) {
  return <output className="block px-2 py-1.5 text-sm text-soft">{children}</output>;
}

export function Marked({ text, marks }: Snippet) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const [from, to] of marks) {
    if (from < end) continue;
    parts.push(
      text.slice(end, from),
      <mark key={from} className="rounded-input bg-accent-soft font-medium text-ink">
        {text.slice(from, to)}
      </mark>,
    );
    end = to;
  }
  return <>{[...parts, text.slice(end)]}</>;
}
