import type { SearchHit, Snippet } from "@landline/client";
import { useSessions } from "@landline/client/react";
import { useMemo, type ReactNode } from "react";
import { closeOverlay } from "../app/overlay.ts";
import { hrefOf } from "../app/routes.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import { titleOf } from "./session-groups.ts";
import { hitsBySession, plainSnippet } from "./search-snippet.ts";
import { useSearch } from "./use-search.ts";

export interface SearchResultsProps {
  readonly text: string;
}

/** Full-text search results. A hit links to its event. */
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
      {hitsBySession(found.hits).map(({ sessionId, hits }) => {
        const title = titles.get(sessionId) ?? "An older conversation";
        return (
          <li key={sessionId} className="mb-2">
            <h3 title={title} className="truncate px-2 text-sm font-medium">
              {title}
            </h3>
            <ul aria-label={title}>
              {hits.map((hit) => (
                <Hit key={hit.seq} hit={hit} />
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}

function Hit({ hit: { sessionId, seq, at, snippet } }: { readonly hit: SearchHit }) {
  return (
    <li>
      <a
        href={hrefOf({ name: "session", sessionId, at: seq })}
        data-row
        onClick={closeOverlay}
        className="touchable block rounded-input px-2 py-1 hover:bg-raised"
      >
        <span className="line-clamp-3 text-sm [overflow-wrap:anywhere]">
          <Marked {...snippet} />
        </span>
        <span className="block text-xs text-soft">
          <RelativeTime at={at} />
        </span>
      </a>
    </li>
  );
}

function Line({ children }: { readonly children: ReactNode }) {
  return <output className="block px-2 py-1.5 text-sm text-soft">{children}</output>;
}

export function Marked(snippet: Snippet) {
  const { text, marks } = plainSnippet(snippet);
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
