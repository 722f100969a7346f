import { useAgents } from "@landline/client/react";
import { useIsAdmin, useView } from "../state/session.tsx";

export interface SessionAgent {
  readonly id: string;
  readonly name: string;
  /** Whether it has sign-in methods and this client may use them. */
  readonly canSignIn: boolean;
}

/** The agent of the current session. */
export function useSessionAgent(): SessionAgent {
  const id = useView((view) => view.session.agent, "");
  const agent = useAgents()?.find((one) => one.id === id);
  const isAdmin = useIsAdmin();
  const canSignIn = isAdmin && agent !== undefined && agent.signInMethods.length > 0;
  return { id, name: agent?.name ?? id, canSignIn };
}
