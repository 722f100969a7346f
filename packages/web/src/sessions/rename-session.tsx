import { useLandline } from "@landline/client/react";
import { useState } from "react";
import { runCommand } from "../state/run-command.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

export interface SessionDialogProps {
  readonly sessionId: string;
  readonly title: string;
  readonly onClose: () => void;
}

export function RenameSession({ sessionId, title, onClose }: SessionDialogProps) {
  const landline = useLandline();
  const [typed, setTyped] = useState(title);
  const save = async () => {
    const wanted = typed.trim();
    if (await runCommand(landline.session(sessionId).rename(wanted === "" ? null : wanted)))
      onClose();
  };
  return (
    <Dialog title="Rename" isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label className="flex flex-col gap-1 text-sm">
          Title
          <input
            value={typed}
            maxLength={200}
            data-autofocus
            onFocus={(event) => event.target.select()}
            onChange={(event) => setTyped(event.target.value)}
            className="touchable rounded-input border border-line bg-page px-2 py-1.5 text-base"
          />
          <span className="text-xs text-soft">Leave it empty to let the agent choose.</span>
        </label>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep</Button>
          <Button variant="primary" type="submit">
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
