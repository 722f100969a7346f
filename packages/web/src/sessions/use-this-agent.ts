import { useAgents } from "@landline/client/react";
import { useView } from "../state/session.tsx";

export interface ThisAgent {
  readonly id: string;
  readonly name: string;
  /** Whether it says how to sign in to it. */
  readonly canSignIn: boolean;
}

/** The agent of the session that is shown. */
export function useThisAgent(): ThisAgent {
  const id = useView((view) => view.session.agent, "");
  const agent = useAgents()?.find((one) => one.id === id);
  const canSignIn = agent !== undefined && agent.signInMethods.length > 0;
  return { id, name: agent?.name ?? id, canSignIn };
}
