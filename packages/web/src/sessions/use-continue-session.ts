import { useLandline } from "@landline/client/react";
import { useState } from "react";
import { leaveOverlays } from "../app/overlay.ts";
import { goToSession } from "../app/routes.ts";
import { showError } from "../state/run-command.ts";
import { useIsMounted } from "../ui/use-is-mounted.ts";
import { offerToGo } from "./offer-to-go.ts";
import type { AgentSession } from "./use-agent-sessions.ts";

export interface ContinueState {
  /** The agent's id of the session that is being opened. */
  readonly opening: string | null;
  readonly error: unknown;
  readonly continueSession: (session: AgentSession) => Promise<void>;
}

/** Opens a session that an agent stores itself and navigates to it, unless the person has left the dialog. */
export function useContinueSession(agentId: string): ContinueState {
  const landline = useLandline();
  const [opening, setOpening] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const isMounted = useIsMounted();
  const continueSession = async ({ agentSessionId, cwd, title }: AgentSession) => {
    setOpening(agentSessionId);
    setError(null);
    try {
      const { sessionId } = await landline.open({
        agent: agentId,
        cwd,
        agentSessionId,
        ...(title !== null && { title }),
      });
      if (isMounted.current) {
        leaveOverlays();
        goToSession(sessionId);
      } else offerToGo("The conversation is open.", sessionId);
    } catch (thrown) {
      if (isMounted.current) setError(thrown);
      else showError(thrown);
    } finally {
      setOpening(null);
    }
  };
  return { opening, error, continueSession };
}
