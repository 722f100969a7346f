import { titleOf } from "../sessions/session-groups.ts";
import { useView } from "../state/session.tsx";

/** What the session that is shown is called; null until something was heard of it. */
export function useSessionName(): string | null {
  return useView(({ session }) => titleOf(session.title, session.firstPrompt), null);
}
