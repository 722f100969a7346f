import type { SessionSummary } from "./frames.ts";
import { commandFieldRows } from "./limits/command-fields.ts";
import { activeAfter } from "./activity.ts";
import type { UnknownEvent } from "./decode.ts";
import type { SessionEvent } from "./events.ts";
import { openAsksAfter } from "./fold/ask.ts";
import type { Mutable } from "./fold/draft.ts";
import { sessionAfter, titleUpdate } from "./fold/session.ts";
import { lastTurnAfter, turnAfter } from "./fold/turn.ts";
import type { OpenAsk, SessionView } from "./view.ts";

/** Titles of agents can be longer. Lists cut them; the log has the whole title. */
const titleLength = commandFieldRows.titleLength.default;

type FoldedParts = Pick<SessionView, "session" | "turn" | "lastTurn" | "activeAt" | "head">;

/** The parts of a view that a summary needs. */
export interface SummaryParts extends FoldedParts {
  readonly openAsks: readonly Pick<OpenAsk, "askId">[];
}

export function summaryPartsOf(view: SummaryParts): SummaryParts {
  const { session, turn, lastTurn, openAsks, activeAt, head } = view;
  return { session, turn, lastTurn, openAsks, activeAt, head };
}

/** Applies an event to the parts as `fold` does, for callers that need no view. */
export function foldSummary(parts: SummaryParts, event: SessionEvent | UnknownEvent): SummaryParts {
  const openAsks = openAsksAfter(parts.openAsks, event as SessionEvent);
  const after = { ...parts, openAsks };
  foldSummaryParts(after, event as SessionEvent);
  return after;
}

/** Changes the parts in place, except for the open asks. */
export function foldSummaryParts(parts: Mutable<FoldedParts>, event: SessionEvent): void {
  parts.head = event.seq;
  parts.activeAt = activeAfter(parts, event);
  parts.lastTurn = lastTurnAfter(parts, event);
  parts.turn = turnAfter(parts.turn, event);
  parts.session = sessionAfter(parts.session, event);
}

/** Whether an event changes more of a summary than its time and sequence number. */
export function changesSummary(kind: string, sessionUpdate?: unknown): boolean {
  return kind === "update" ? sessionUpdate === titleUpdate : summaryKinds.has(kind);
}

const summaryKinds: ReadonlySet<string> = new Set<SessionEvent["kind"]>([
  "session-opened",
  "session-changed",
  "session-closed",
  "agent-started",
  "prompt-queued",
  "turn-started",
  "turn-changed",
  "turn-ended",
  "ask-opened",
  "ask-settled",
]);

/** The summary of a session, whether it is loaded or was read from its log. */
export function summaryOf(sessionId: string, view: SummaryParts): SessionSummary {
  const { agent, cwd, roots, title, firstPrompt, parent, openedAt, closedAt } = view.session;
  return {
    sessionId,
    agent,
    cwd,
    roots,
    title: title === null ? null : listedTitle(title),
    firstPrompt,
    parent,
    hasFailed: view.turn.state === "idle" && view.lastTurn?.stopReason === "failed",
    state: stateOf(view),
    openedAt,
    closedAt,
    lastAt: view.activeAt ?? 0,
    head: view.head,
  };
}

function stateOf({ openAsks, turn, session }: SummaryParts): SessionSummary["state"] {
  if (openAsks.length > 0) return "needs-answer";
  if (turn.state === "idle" || session.closedAt !== null) return "idle";
  return turn.state === "stalled" ? "stalled" : "running";
}

// oxlint-disable-next-line no-control-regex -- control characters are what is being removed
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** A title as lists show it. */
function listedTitle(title: string): string {
  const isCut = title.length > titleLength;
  const shown = isCut
    ? title
        .slice(0, titleLength)
        .toWellFormed()
        .replace(/\uFFFD$/, "")
    : title;
  return shown.toWellFormed().replaceAll(controls, " ");
}
