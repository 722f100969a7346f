import type { SessionSummary } from "./frames.ts";
import { commandFieldRows } from "./limits/command-fields.ts";
import type { SessionView } from "./view.ts";

/** Agents may give longer titles than people may: those are cut in lists, and whole in the log. */
const titleLength = commandFieldRows.titleLength.default;

/** What a list shows of a session: the same for one that runs and for one that was read from its log. */
export function summaryOf(sessionId: string, view: SessionView): SessionSummary {
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

function stateOf({ openAsks, turn, session }: SessionView): SessionSummary["state"] {
  if (openAsks.length > 0) return "needs-answer";
  if (turn.state === "idle" || session.closedAt !== null) return "idle";
  return turn.state === "stalled" ? "stalled" : "running";
}

// oxlint-disable-next-line no-control-regex -- control characters are what is being removed
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** A title as lists show it. */
export function listedTitle(title: string): string {
  const isCut = title.length > titleLength;
  const shown = isCut
    ? title
        .slice(0, titleLength)
        .toWellFormed()
        .replace(/\uFFFD$/, "")
    : title;
  return shown.toWellFormed().replaceAll(controls, " ");
}
