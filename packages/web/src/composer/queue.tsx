import type { QueuedPrompt } from "@landline/protocol";
import { useMemo } from "react";
import { useMe, useSnapshotPart, useView } from "../state/session.tsx";
import { QueueEntry } from "./queue-entry.tsx";
import { movesOf, pendingPrompts } from "./pending-prompts.ts";

const none: readonly QueuedPrompt[] = [];

export interface QueueProps {
  /** The id of the prompt that is being edited. */
  readonly editing: string | null;
  readonly onEdit: (promptId: string | null) => void;
  /** Called with the edited text when the prompt can't be changed any more. */
  readonly onLost: (text: string, promptId: string) => void;
}

/** Prompts that wait for their turn or for the connection. `Composer` renders it above its field. */
export function Queue({ editing, onEdit, onLost }: QueueProps) {
  const me = useMe();
  const queue = useView((view) => view.queue, none);
  const outgoing = useSnapshotPart((snapshot) => snapshot.outgoing);
  const myId = me?.clientId ?? null;
  const waiting = useMemo(() => pendingPrompts(queue, outgoing, myId), [queue, outgoing, myId]);
  if (waiting.length === 0) return null;
  return (
    <section
      aria-label="Queue"
      // When height is short, the request above the queue keeps its space first.
      className="column flex max-h-[30dvh] min-h-16 shrink-[99] has-[li+li]:min-h-20 flex-col px-3 pb-2 not-has-[li]:hidden has-[form]:max-h-none has-[form]:shrink-0 [@media(max-height:600px)]:max-h-none [@media(max-height:600px)]:shrink-0"
    >
      <h2 className="shrink-0 pb-1 text-xs text-soft">
        {waiting.length === 1 ? "Next" : `Next, one after another: ${waiting.length} prompts`}
      </h2>
      <ol className="flex min-h-0 flex-col overflow-y-auto rounded-card border border-line">
        {waiting.map((prompt, position) => (
          <QueueEntry
            key={prompt.promptId}
            prompt={prompt}
            moves={movesOf(position, queue.length)}
            isEditing={editing === prompt.promptId}
            onEdit={onEdit}
            onLost={onLost}
          />
        ))}
      </ol>
    </section>
  );
}
