import { useEffect, useState, useSyncExternalStore } from "react";
import { toast } from "sonner";
import { failureWords } from "../state/act.ts";
import {
  excessOf,
  readAttachment,
  refusalOf,
  type Attachment,
  type PromptCapabilities,
} from "./attachment.ts";
import { newId } from "./new-id.ts";

/** Files that were taken and not sent, by session: as long as the page lives, for the latest sessions. */
const kept = new Map<string, readonly Attachment[]>();
const sessionsKept = 10;
const none: readonly Attachment[] = [];
const listeners = new Set<() => void>();

export interface Attachments {
  readonly attachments: readonly Attachment[];
  /** How many are being read. */
  readonly reading: number;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: string) => void;
  readonly replace: (attachments: readonly Attachment[]) => void;
}

export function useAttachments(sessionId: string, capabilities: PromptCapabilities): Attachments {
  const attachments = useSyncExternalStore(subscribe, () => kept.get(sessionId) ?? none);
  const [reading, setReading] = useState(0);

  const replace = (next: readonly Attachment[]) => keep(sessionId, next);

  const take = async (file: File) => {
    setReading((count) => count + 1);
    try {
      const attachment = await readAttachment(file, newId());
      const next = [...(kept.get(sessionId) ?? []), attachment];
      const excess = excessOf(next);
      if (excess === null) replace(next);
      else toast.error(excess);
    } catch (error) {
      toast.error(failureWords(error).message);
    } finally {
      setReading((count) => count - 1);
    }
  };

  const add = (files: readonly File[]) => {
    for (const file of files) {
      const refusal = refusalOf(file, capabilities);
      if (refusal === null) void take(file);
      else toast.error(refusal);
    }
  };

  // Some may have been taken before the agent had said what it takes.
  useEffect(() => {
    const refused = attachments.flatMap((one) => {
      const refusal = refusalOf({ ...one, type: one.mimeType, size: one.bytes }, capabilities);
      return refusal === null ? [] : [{ one, refusal }];
    });
    if (refused.length === 0) return;
    for (const { refusal } of refused) toast.error(refusal);
    keep(
      sessionId,
      attachments.filter((one) => refused.every((other) => other.one !== one)),
    );
  }, [sessionId, attachments, capabilities]);

  const remove = (id: string) =>
    replace((kept.get(sessionId) ?? []).filter((attachment) => attachment.id !== id));

  return { attachments, reading, add, remove, replace };
}

function keep(sessionId: string, attachments: readonly Attachment[]): void {
  kept.delete(sessionId);
  if (attachments.length > 0) kept.set(sessionId, attachments);
  const [oldest] = kept.keys();
  if (kept.size > sessionsKept && oldest !== undefined) kept.delete(oldest);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
