import { useLandline } from "@landline/client/react";
import { useState } from "react";
import { go, routeOf } from "../app/routes.ts";
import { runCommand } from "../state/run-command.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { SessionDialogProps } from "./rename-session.tsx";

export function DeleteSession({ sessionId, title, onClose }: SessionDialogProps) {
  const landline = useLandline();
  const [isRunning, setRunning] = useState(false);
  const remove = async () => {
    setRunning(true);
    const isDone = await runCommand(landline.session(sessionId).delete());
    setRunning(false);
    if (!isDone) return;
    onClose();
    const route = routeOf(location.hash);
    if ("sessionId" in route && route.sessionId === sessionId) go({ name: "home" });
  };
  return (
    <Dialog
      title={`Delete “${title}”?`}
      about="This permanently deletes the conversation, its attachments and its rules. Files in its folder are not changed."
      isOpen
      onClose={onClose}
    >
      <div className="flex justify-end gap-2">
        <Button data-autofocus onClick={onClose}>
          Keep
        </Button>
        <Button variant="bad" disabled={isRunning} onClick={() => void remove()}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
