import { SendHorizontal, Square } from "lucide-react";
import { capsOf, stopCombo } from "../app/shortcuts.ts";
import { isMac } from "../app/platform.ts";
import { AttachButton } from "../message/attach-button.tsx";
import { Button } from "../ui/button.tsx";
import { stopButtonId } from "./composer-field.ts";
import { OptionMenus } from "./option-menus.tsx";

export interface ComposerBarProps {
  readonly isRunning: boolean;
  readonly isStopping: boolean;
  readonly canSend: boolean;
  readonly canChoose: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onStop: () => void;
}

/** The lower row of the composer: attachments, session options, and the send and stop buttons. */
export function ComposerBar(props: ComposerBarProps) {
  return (
    <div className="flex min-w-0 items-center gap-1 p-1.5">
      <AttachButton onFiles={props.onFiles} />
      <OptionMenus isDisabled={!props.canChoose} />
      <span className="grow" />
      {props.isRunning ? (
        <Button
          id={stopButtonId}
          onClick={props.onStop}
          disabled={props.isStopping}
          title={`Stop the turn (${capsOf(stopCombo, isMac).join("+")})`}
          aria-keyshortcuts={stopCombo.replace("Mod", isMac ? "Meta" : "Control")}
        >
          <Square size={16} strokeWidth={1.5} aria-hidden />
          Stop
        </Button>
      ) : null}
      <Button type="submit" variant="primary" disabled={!props.canSend}>
        <SendHorizontal size={16} strokeWidth={1.5} aria-hidden />
        {props.isRunning ? "Queue" : "Send"}
      </Button>
    </div>
  );
}
