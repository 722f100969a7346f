import { Paperclip, SendHorizontal, Square } from "lucide-react";
import { useRef } from "react";
import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { OptionMenus } from "./option-menus.tsx";

export interface ComposerBarProps {
  readonly isRunning: boolean;
  readonly isStopping: boolean;
  readonly canSend: boolean;
  readonly canChoose: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onStop: () => void;
}

/** The lower edge: what goes with the message, what the agent lets you choose, and what to do. */
export function ComposerBar(props: ComposerBarProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="flex min-w-0 items-center gap-1 p-1.5">
      <IconButton icon={Paperclip} name="Attach files" onClick={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          props.onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <OptionMenus isDisabled={!props.canChoose} />
      <span className="grow" />
      {props.isRunning ? (
        <Button onClick={props.onStop} disabled={props.isStopping}>
          <Square size={16} strokeWidth={1.5} aria-hidden />
          Stop
        </Button>
      ) : null}
      <Button type="submit" look="primary" disabled={!props.canSend}>
        <SendHorizontal size={16} strokeWidth={1.5} aria-hidden />
        {props.isRunning ? "Queue" : "Send"}
      </Button>
    </div>
  );
}
