import type { SessionSummary } from "@landline/protocol";

export interface SessionGroup {
  readonly folder: string;
  readonly sessions: readonly SessionSummary[];
}

export interface GroupedSessions {
  /** By folder, the one with the latest event first; the sessions of each likewise. */
  readonly groups: readonly SessionGroup[];
  /** Closed and inactive sessions, the latest first. */
  readonly closed: readonly SessionSummary[];
}

const untitled = "New conversation";
const titleLength = 80;

/** The title, or else the start of the first prompt. */
export function titleOf(title: string | null, firstPrompt: string | null): string {
  if (title !== null) return title;
  const line = firstPrompt?.trim().split("\n", 1)[0] ?? "";
  if (line === "") return untitled;
  return line.length > titleLength ? `${line.slice(0, titleLength)}…` : line;
}

/** Keeps the order of the list, which has the latest first. */
export function groupSessions(sessions: readonly SessionSummary[], text: string): GroupedSessions {
  const groups = new Map<string, SessionSummary[]>();
  const closed: SessionSummary[] = [];
  for (const session of sessions) {
    if (!isAbout(session, text)) continue;
    if (isClosed(session)) {
      closed.push(session);
      continue;
    }
    const group = groups.get(session.cwd);
    if (group) group.push(session);
    else groups.set(session.cwd, [session]);
  }
  return {
    groups: [...groups].map(([folder, members]) => ({ folder, sessions: members })),
    closed,
  };
}

/** In the order of the list. */
export function shownSessions({ groups }: GroupedSessions): readonly SessionSummary[] {
  return groups.flatMap(({ sessions }) => sessions);
}

export function isClosed({ closedAt, state }: SessionSummary): boolean {
  return closedAt !== null && state === "idle";
}

export function needsYou({ state }: SessionSummary): boolean {
  return state === "needs-answer" || state === "stalled";
}

/** The session after (or before) `currentId`, wrapping around. */
export function neighbour(
  sessions: readonly SessionSummary[],
  currentId: string | null,
  step: 1 | -1,
): SessionSummary | null {
  if (sessions.length === 0) return null;
  const index = sessions.findIndex(({ sessionId }) => sessionId === currentId);
  if (index < 0) return sessions.at(step === 1 ? 0 : -1) ?? null;
  return sessions.at((index + step) % sessions.length) ?? null;
}

function isAbout({ title, firstPrompt, cwd }: SessionSummary, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  const words = `${titleOf(title, firstPrompt)} ${cwd}`.toLowerCase();
  return wanted.split(/\s+/).every((word) => words.includes(word));
}
