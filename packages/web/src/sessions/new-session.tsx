import { Dialog } from "../ui/dialog.tsx";
import { NewSessionForm } from "./new-session-form.tsx";

export interface NewSessionProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewSession({ isOpen, onClose }: NewSessionProps) {
  return (
    <Dialog title="New conversation" isOpen={isOpen} onClose={onClose}>
      <NewSessionForm onStarted={onClose} />
    </Dialog>
  );
}
