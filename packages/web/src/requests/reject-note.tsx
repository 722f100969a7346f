import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { isComposing, isTouch } from "../ui/input-device.ts";
import { AnswerButton } from "./answer-button.tsx";
import { useAnswering } from "./use-answer-guard.ts";
import type { AnswerDraftAccess } from "./answer-draft.ts";
import { useDisabledReasonId } from "./offline-note.tsx";

export interface RejectNoteProps {
  readonly draft: AnswerDraftAccess;
  readonly isBusy: boolean;
  readonly onReject: (note: string) => void;
  readonly onClose: () => void;
}

/** Asks what the agent should do instead; the text becomes the next prompt. It is kept when the note is closed. */
export function RejectNote({ draft, isBusy, onReject, onClose }: RejectNoteProps) {
  const [note, setNote] = useState(() => draft.read().note);
  const disabledReasonId = useDisabledReasonId();
  const { accepts } = useAnswering();
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  const isEmpty = note.trim() === "";
  const reject = () => {
    if (!isEmpty && !isBusy && disabledReasonId === null) onReject(note.trim());
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        reject();
      }}
    >
      <label htmlFor={id} className="text-sm font-medium">
        What should it do instead?
      </label>
      <textarea
        ref={field}
        id={id}
        value={note}
        rows={2}
        aria-describedby={`${id}-when`}
        onChange={(event) => {
          setNote(event.target.value);
          draft.write({ note: event.target.value });
        }}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key === "Escape") onClose();
          else if (event.key === "Enter" && !event.shiftKey && !isTouch()) {
            if (accepts(event.nativeEvent)) reject();
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className="field-sizing-content max-h-40 min-h-14 w-full rounded-input border border-line-strong bg-page px-2 py-1 text-base"
      />
      <p id={`${id}-when`} className="text-xs text-soft">
        Sent when this turn ends, before what is queued.
      </p>
      <div className="flex flex-wrap gap-2">
        <AnswerButton type="submit" variant="bad" disabled={isBusy || isEmpty}>
          Reject and send note
        </AnswerButton>
        <Button variant="quiet" onClick={onClose}>
          Back
        </Button>
      </div>
    </form>
  );
}
