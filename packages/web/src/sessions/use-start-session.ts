import { useLandline } from "@landline/client/react";
import type { AgentSummary } from "@landline/protocol";
import { useState } from "react";
import { openSignIn } from "../app/overlay.ts";
import { goToSession } from "../app/routes.ts";
import { describeError, showError } from "../state/run-command.ts";
import { setPreferences } from "../state/preferences.ts";
import { useIsMounted } from "../ui/use-is-mounted.ts";
import type { MessageContent } from "../message/prompt-blocks.ts";
import { newConversation } from "../message/drafts.ts";
import { clearSentContent } from "../message/send-message.ts";
import { clearNewSessionDraft, setStarting, useStarting } from "./new-session-draft.ts";
import { offerToGo } from "./offer-to-go.ts";
import { sendFirstMessage } from "./send-first-message.ts";
import { isSignInWanted } from "./start-failure.tsx";

export interface StartOptions {
  /** The session starts with its last choices. */
  readonly agent: Pick<AgentSummary, "id" | "name" | "lastChoices">;
  readonly folder: string;
  /** The first prompt; empty for none. */
  readonly written: MessageContent;
}

export interface StartState {
  /** The name of the agent that is being started, in this form or another. */
  readonly starting: string | null;
  readonly failure: { readonly message: string; readonly help: string | null } | null;
  /** Whether signing in solves the problem. */
  readonly needsSignIn: boolean;
  readonly start: (wanted: StartOptions) => Promise<void>;
}

/** Opens a session, sends the message and navigates to it, unless the person has left the page. */
export function useStartSession(onStarted?: () => void): StartState {
  const landline = useLandline();
  const starting = useStarting();
  const [error, setError] = useState<unknown>(null);
  const isMounted = useIsMounted();
  const start = async ({ agent, folder, written }: StartOptions) => {
    const config = agent.lastChoices.map(({ configId, value }) => ({ configId, value }));
    setStarting(agent.name);
    setError(null);
    try {
      const { sessionId } = await landline.open({
        agent: agent.id,
        cwd: folder,
        ...(config.length > 0 && { config }),
      });
      setPreferences({ lastAgent: agent.id, lastFolder: folder });
      clearNewSessionDraft({ agent: agent.id, folder });
      clearSentContent(newConversation, written);
      if (isMounted.current) {
        onStarted?.();
        goToSession(sessionId);
      } else offerToGo("Your new conversation has started.", sessionId);
      sendFirstMessage(landline.session(sessionId), written);
    } catch (thrown) {
      setError(thrown);
      if (!isMounted.current) showError(thrown);
      else if (isSignInWanted(thrown)) openSignIn(agent.id);
    } finally {
      setStarting(null);
    }
  };
  return {
    starting,
    failure: error === null ? null : describeError(error),
    needsSignIn: isSignInWanted(error),
    start,
  };
}
