import { useConnection, useLandline } from "@landline/client/react";
import type { AgentSummary } from "@landline/protocol";
import { useId, useState } from "react";
import { toast } from "sonner";
import { OfflineNote } from "../requests/offline-note.tsx";
import { runCommand } from "../state/run-command.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextWithCode } from "../ui/text-with-code.tsx";
import { builtInId } from "./first-run.tsx";
import { signOutText, storedNames } from "./credential-text.ts";

export interface SignOutProps {
  readonly agent: AgentSummary;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks for confirmation and explains the effect. */
export function SignOut({ agent, onClose, onDone }: SignOutProps) {
  const landline = useLandline();
  const { id, name, keys } = agent;
  // Fixed when the dialog opens, because deleted credentials leave the list first.
  const [words] = useState(() => signOutText(agent));
  const [hasSeveral] = useState(() => id === builtInId && storedNames(keys ?? []).length > 1);
  const [isRunning, setRunning] = useState(false);
  const isCutOff = useConnection().state !== "online" && !isRunning;
  const noteId = useId();
  const signOut = async () => {
    setRunning(true);
    const isDone = await runCommand(landline.signOut(id));
    setRunning(false);
    if (!isDone) return;
    toast.success(`You are signed out of ${name}.`);
    onDone();
  };
  return (
    <Dialog
      title={`Sign out of ${name}?`}
      about={words}
      isOpen
      canClose={!isRunning}
      onClose={onClose}
    >
      {hasSeveral ? (
        <p className="text-sm text-soft">
          <TextWithCode text="To delete a single key, run `landline agent logout PROVIDER` where the gateway runs." />
        </p>
      ) : null}
      {isCutOff ? <OfflineNote id={noteId} verb="sign out" /> : null}
      <div className="mt-3 flex justify-end gap-2">
        {isRunning ? null : (
          <Button data-autofocus onClick={onClose}>
            Stay signed in
          </Button>
        )}
        <Button
          variant="bad"
          isBusy={isRunning}
          disabledReasonId={isCutOff ? noteId : null}
          onClick={() => void signOut()}
        >
          {isRunning ? "Signing out…" : "Sign out"}
        </Button>
      </div>
    </Dialog>
  );
}
