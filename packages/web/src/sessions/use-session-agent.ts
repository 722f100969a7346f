import { useAgents } from "@landline/client/react";
import { useIsAdmin, useView } from "../state/session.tsx";

export interface SessionAgent {
  readonly id: string;
  readonly name: string;
  /** Whether it says how to sign in to it, and this browser may. */
  readonly canSignIn: boolean;
}

/** The agent of the session that is shown. */
export function useSessionAgent(): SessionAgent {
  const id = useView((view) => view.session.agent, "");
  const agent = useAgents()?.find((one) => one.id === id);
  const isAdmin = useIsAdmin();
  const canSignIn = isAdmin && agent !== undefined && agent.signInMethods.length > 0;
  return { id, name: agent?.name ?? id, canSignIn };
}
