import { titleOf } from "../sessions/session-groups.ts";
import { useView } from "../state/session.tsx";

/** The name of the current session; null until it is loaded. */
export function useSessionName(): string | null {
  return useView(({ session }) => titleOf(session.title, session.firstPrompt), null);
}
