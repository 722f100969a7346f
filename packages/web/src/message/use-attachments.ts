import { useState, useSyncExternalStore } from "react";
import { toast } from "sonner";
import { describeError } from "../state/run-command.ts";
import {
  excessOf,
  attachmentProblem,
  readAttachment,
  rejectionReason,
  type Attachment,
  type PromptCapabilities,
} from "./attachment.ts";
import { newId } from "./new-id.ts";

/** Unsent attachments by place, in memory only, for the latest places. */
const kept = new Map<string, readonly Attachment[]>();
const placesKept = 10;
const namesSaid = 3;
const none: readonly Attachment[] = [];
const listeners = new Set<() => void>();

export interface Attachments {
  readonly attachments: readonly Attachment[];
  /** The number of files that are being read. */
  readonly reading: number;
  /** Why the attachments can't be sent; null if they can. */
  readonly obstacle: string | null;
  /** The last added attachment, while it is still attached. */
  readonly added: Attachment | null;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: string) => void;
}

export function useAttachments(place: string, capabilities: PromptCapabilities): Attachments {
  const attachments = useSyncExternalStore(subscribe, () => attachmentsOf(place));
  const [reading, setReading] = useState(0);
  const [addedId, setAddedId] = useState<string | null>(null);

  const take = async (file: File) => {
    setReading((count) => count + 1);
    try {
      const attachment = await readAttachment(file, newId());
      const next = [...attachmentsOf(place), attachment];
      const excess = excessOf(next);
      if (excess === null) {
        setAttachments(place, next);
        setAddedId(attachment.id);
      } else toast.error(excess);
    } catch (error) {
      toast.error(describeError(error).message);
    } finally {
      setReading((count) => count - 1);
    }
  };

  const add = (files: readonly File[]) => {
    for (const file of files) {
      const refusal = rejectionReason(file, capabilities);
      if (refusal === null) void take(file);
      else toast.error(refusal);
    }
  };

  const remove = (id: string) =>
    setAttachments(
      place,
      attachmentsOf(place).filter((attachment) => attachment.id !== id),
    );

  return {
    attachments,
    reading,
    obstacle: attachmentProblem(attachments, capabilities),
    added: attachments.find(({ id }) => id === addedId) ?? null,
    add,
    remove,
  };
}

export function attachmentsOf(place: string): readonly Attachment[] {
  return kept.get(place) ?? none;
}

export function setAttachments(place: string, attachments: readonly Attachment[]): void {
  kept.delete(place);
  if (attachments.length > 0) kept.set(place, attachments);
  const [oldest] = kept;
  if (kept.size > placesKept && oldest !== undefined) {
    kept.delete(oldest[0]);
    sayLost(oldest[1]);
  }
  for (const listener of listeners) listener();
}

function sayLost(lost: readonly Attachment[]): void {
  const names = lost.map(({ name }) => (name === "" ? "a pasted file" : name)).slice(0, namesSaid);
  const more = lost.length > namesSaid ? ` and ${lost.length - namesSaid} more` : "";
  toast("Unsent files were removed from another conversation.", {
    description: `Unsent files are kept for at most ${placesKept} conversations. Attach them there again: ${names.join(", ")}${more}.`,
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
