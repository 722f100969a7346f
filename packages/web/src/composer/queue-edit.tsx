import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { focusComposer, isTouch } from "./composer-field.ts";

export interface QueueEditProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

/** A prompt that waits, changed where it stands. */
export function QueueEdit({ text: before, onSave, onClose }: QueueEditProps) {
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
    return focusComposer;
  }, []);
  return (
    <form
      className="flex flex-col gap-2 p-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text);
      }}
    >
      <textarea
        ref={field}
        aria-label="Queued message"
        value={text}
        rows={2}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const isEnter =
            event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;
          if (event.key === "Escape") onClose();
          else if (isEnter && !isTouch()) onSave(text);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className="field-sizing-content max-h-40 min-h-14 w-full resize-none rounded-input border border-line-strong bg-page px-2 py-1"
      />
      <div className="flex gap-2">
        <Button type="submit" look="primary">
          Save
        </Button>
        <Button look="quiet" onClick={onClose}>
          Leave as it was
        </Button>
      </div>
    </form>
  );
}
