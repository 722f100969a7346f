import { useLandline } from "@landline/client/react";
import type { AgentSummary } from "@landline/protocol";
import { Check } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { openSignIn } from "../app/overlay.ts";
import { useIsAdmin } from "../state/session.tsx";
import { Button } from "../ui/button.tsx";
import { builtInId } from "./first-run.tsx";
import { hasSignIn, credentialText } from "./credential-text.ts";
import { SignOut } from "./sign-out.tsx";

export interface AgentRowProps {
  readonly agent: AgentSummary;
  /** For the settings: offers sign-in and sign-out in any state. */
  readonly isWhole: boolean;
}

export function AgentRow({ agent, isWhole }: AgentRowProps) {
  const { id, name, how, signedIn, signInMethods, keys, progress } = agent;
  const mayAct = useIsAdmin();
  const isWanted = isWhole || (signedIn !== true && signInMethods.length > 0);
  const [isLeaving, setLeaving] = useState(false);
  const signIn = useRef<HTMLButtonElement>(null);
  useAskedForKeys(agent, isWhole && mayAct);
  const left = () => {
    flushSync(() => setLeaving(false));
    // The button that had the focus may be gone.
    if (document.activeElement === document.body) signIn.current?.focus();
  };
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5 text-sm">
      <Check size={16} strokeWidth={1.5} aria-hidden className="shrink-0 text-good" />
      <span className="min-w-0 grow basis-40">
        <span className="block font-medium">{name}</span>
        {progress === null ? (
          <span className="block truncate font-mono text-xs text-soft" title={how}>
            {how}
          </span>
        ) : (
          <span className="block truncate text-xs text-soft">{progress.message}</span>
        )}
        {isWhole && keys !== null ? (
          <span className="block text-xs text-soft">{credentialText(keys)}</span>
        ) : null}
      </span>
      {mayAct && isWanted ? (
        <span className="ml-auto flex shrink-0 items-center gap-2">
          {isWhole && progress === null && hasSignIn(agent) ? (
            <Button
              variant="quiet"
              onClick={() => setLeaving(true)}
              aria-label={`Sign out of ${name}`}
            >
              Sign out
            </Button>
          ) : null}
          <Button ref={signIn} onClick={() => openSignIn(id)} aria-label={`Sign in to ${name}`}>
            {signedIn === false ? "Sign in" : "Sign in…"}
          </Button>
        </span>
      ) : null}
      {isLeaving ? <SignOut agent={agent} onClose={() => setLeaving(false)} onDone={left} /> : null}
    </li>
  );
}

/**
 * The built-in agent reports its credentials when it is started, which is cheap. Other agents are not started for
 * it.
 */
function useAskedForKeys({ id, canSignOut }: AgentSummary, isWanted: boolean): void {
  const { api } = useLandline();
  const isUnknown = isWanted && id === builtInId && canSignOut === null;
  useEffect(() => {
    // Not requested by the person: without an answer the line is missing.
    if (isUnknown) void api.listSignInMethods({ agent: id }).catch(() => {});
  }, [api, id, isUnknown]);
}
