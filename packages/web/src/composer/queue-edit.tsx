import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { isComposing, isTouch } from "../ui/input-device.ts";
import { focusComposer } from "./composer-field.ts";

export interface QueueEditProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
  /** Called with the text when the prompt leaves the queue or another session is opened during the edit. */
  readonly onLost: (text: string) => void;
}

/** Edits a queued prompt in place. */
export function QueueEdit({ text: before, onSave, onClose, onLost }: QueueEditProps) {
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  const unsaved = useRef<string | null>(null);
  const leave = useEffectEvent(() => {
    if (unsaved.current !== null) onLost(unsaved.current);
    focusComposer();
  });
  useEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
    return () => leave();
  }, []);
  const save = () => {
    unsaved.current = null;
    onSave(text);
  };
  const close = () => {
    unsaved.current = null;
    onClose();
  };
  return (
    <form
      className="flex flex-col gap-2 p-2"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        ref={field}
        aria-label="Queued message"
        value={text}
        rows={2}
        onChange={({ target: { value } }) => {
          unsaved.current = value.trim() === before.trim() ? null : value;
          setText(value);
        }}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key === "Escape") close();
          else if (event.key === "Enter" && !event.shiftKey && !isTouch()) save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className="field-sizing-content max-h-40 min-h-14 w-full resize-none rounded-input border border-line-strong bg-page px-2 py-1"
      />
      <div className="flex gap-2">
        <Button type="submit" variant="primary">
          Save
        </Button>
        <Button variant="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
