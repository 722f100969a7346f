import { LandlineError, type AgentSummary } from "@landline/protocol";
import { openSignIn } from "../app/overlay.ts";
import { Button } from "../ui/button.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";

export interface StartFailureProps {
  readonly agent: AgentSummary;
  readonly message: string;
  readonly help: string | null;
  readonly needsSignIn: boolean;
}

/** Why a session could not start, and what helps. */
export function StartFailure({ agent, message, help, needsSignIn }: StartFailureProps) {
  // The sign-in is done.
  if (needsSignIn && agent.signedIn === true) return null;
  return (
    <div role="alert" className="rounded-card bg-bad-soft px-3 py-2 text-sm">
      <p className="text-bad">{message}</p>
      {help === null || needsSignIn ? null : (
        <p className="text-ink">
          <TextWithCode text={help} />
        </p>
      )}
      {needsSignIn ? (
        <Button className="mt-2" onClick={() => openSignIn(agent.id)}>
          Sign in to {agent.name}
        </Button>
      ) : null}
    </div>
  );
}

/** Whether signing in solves the problem. */
export function isSignInWanted(error: unknown): boolean {
  return error instanceof LandlineError && error.code === "auth-required";
}
