import { clsx } from "clsx";
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { focusDock } from "../requests/dock-focus.ts";
import { useMe, useThisSession, useView } from "../state/session.tsx";
import { isComposing, isTouch } from "../ui/input-device.ts";
import { AttachmentChips } from "../message/attachment-chips.tsx";
import { ComposerBar } from "./composer-bar.tsx";
import { composerFieldId, focusThread } from "./composer-field.ts";
import { placeholderOf } from "./composer-note.ts";
import { MessageField } from "../message/message-field.tsx";
import { Queue } from "./queue.tsx";
import { stopTurn } from "./stop-turn.ts";
import { hintAfter } from "../message/suggestion.ts";
import { useComposerNote } from "./use-composer-note.ts";
import { useFileDrop } from "../message/use-file-drop.ts";
import { useMessage } from "./use-message.ts";
import { useSuggestionSource } from "./use-suggestion-source.ts";

export interface MessageFormProps {
  readonly aboveLook: string;
  readonly children?: ReactNode;
}

export function MessageForm({ aboveLook, children }: MessageFormProps) {
  const session = useThisSession();
  const turn = useView((view) => view.turn.state, "idle");
  const source = useSuggestionSource();
  const field = useRef<HTMLTextAreaElement>(null);
  const { draft, write, takeBack, files, isNothing, canSend, send } = useMessage(field);
  const [editing, setEditing] = useState<string | null>(null);
  const lastQueued = useLastQueued();
  const noteId = useId();
  const stop = () => void stopTurn(session);
  const isRunning = turn !== "idle";
  const { note, isAsked, isOffline } = useComposerNote(isNothing);
  const isOver = useFileDrop(files.add);

  const keys = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event.nativeEvent)) return;
    const isPlain = !event.shiftKey && !event.altKey;
    if (event.key === "Enter" && isPlain && !isTouch()) {
      event.preventDefault();
      send();
    } else if (event.key === "ArrowUp" && isPlain && isNothing && lastQueued !== null) {
      event.preventDefault();
      setEditing(lastQueued);
    } else if (event.key === "Escape") {
      if (isAsked) focusDock();
      else focusThread();
    }
  };

  return (
    <>
      <div className={aboveLook}>
        {children}
        <Queue editing={editing} onEdit={setEditing} onLost={takeBack} />
      </div>
      <div className="column flex shrink-0 flex-col gap-2 px-3 pb-2">
        <form
          aria-label="Write a message"
          className={clsx(
            "relative flex flex-col rounded-card border bg-float transition-colors focus-within:border-accent",
            isOver ? "border-accent" : "border-line-strong",
          )}
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <AttachmentChips {...files} field={field} />
          <MessageField
            field={field}
            text={draft.text}
            mentions={draft.mentions}
            id={composerFieldId}
            label="Message"
            source={source}
            placement="over"
            placeholder={isOver ? "Drop files here" : placeholderOf(turn)}
            hint={hintAfter(draft.text, source.commands)}
            describedBy={noteId}
            onChange={write}
            onKeyDown={keys}
            onPasteFiles={files.add}
          />
          <ComposerBar
            isRunning={isRunning}
            isStopping={turn === "cancelling"}
            canSend={canSend}
            canChoose={!isOffline}
            onFiles={files.add}
            onStop={stop}
          />
        </form>
        <output
          id={noteId}
          className="min-h-4 text-center text-xs text-soft pointer-coarse:min-h-0 [@media(max-height:600px)]:min-h-0"
        >
          {note}
        </output>
      </div>
    </>
  );
}

/** My last queued prompt, or else the last one. */
function useLastQueued(): string | null {
  const me = useMe();
  return useView(({ queue }) => {
    const mine = queue.findLast(({ by }) => by === me?.clientId);
    return (mine ?? queue.at(-1))?.promptId ?? null;
  }, null);
}
