import type { QueuedPrompt } from "@landline/protocol";
import { useMemo } from "react";
import { useMe, usePart, useView } from "../state/session.tsx";
import { QueueEntry } from "./queue-entry.tsx";
import { waitingOf } from "./waiting.ts";

const none: readonly QueuedPrompt[] = [];

export interface QueueProps {
  /** The prompt that is being edited. */
  readonly editing: string | null;
  readonly onEdit: (promptId: string | null) => void;
  /** Words for a prompt that can't be changed any more. */
  readonly onLost: (text: string, promptId: string) => void;
}

/** Prompts that wait for their turn or for the line. `Composer` draws it above its field. */
export function Queue({ editing, onEdit, onLost }: QueueProps) {
  const me = useMe();
  const queue = useView((view) => view.queue, none);
  const outgoing = usePart((snapshot) => snapshot.outgoing);
  const myId = me?.clientId ?? null;
  const waiting = useMemo(() => waitingOf(queue, outgoing, myId), [queue, outgoing, myId]);
  if (waiting.length === 0) return null;
  return (
    <section aria-label="Queue" className="max-h-[30dvh] overflow-y-auto">
      <ol className="flex flex-col rounded-card border border-line empty:hidden">
        {waiting.map((prompt) => (
          <QueueEntry
            key={prompt.promptId}
            prompt={prompt}
            isEditing={editing === prompt.promptId}
            onEdit={onEdit}
            onLost={onLost}
          />
        ))}
      </ol>
    </section>
  );
}
