import type { ModelInfo } from "../model/model.ts";
import { contextTurns } from "./context-turns.ts";
import { mediaOf, takes } from "./media.ts";
import type { AttachmentReference } from "./record.ts";
import type { SessionState, Step } from "./state.ts";

/** The provider's message by attachment that it refused. */
export type RefusedMedia = ReadonlyMap<string, string>;

export function attachmentKey({ id, index }: AttachmentReference): string {
  return `${index} ${id}`;
}

export function refusedMedia(state: SessionState, model: ModelInfo): RefusedMedia {
  const refused = new Map<string, string>();
  for (const { modelId, attachments, problem } of state.refused) {
    if (modelId !== model.id) continue;
    for (const reference of attachments) refused.set(attachmentKey(reference), problem);
  }
  return refused;
}

/**
 * The attachments that may have caused a refusal: those that the model has not answered yet, or all if there
 * are none.
 */
export function suspectedMedia(state: SessionState, model: ModelInfo): AttachmentReference[] {
  const accepted: AttachmentReference[] = [];
  let fresh: AttachmentReference[] = [];
  for (const { turn, steps } of contextTurns(state)) {
    const { promptId: id, content, parts } = turn.prompt;
    for (const part of parts) {
      const media = part.type === "block" ? mediaOf(content[part.index]) : null;
      if (part.type === "block" && media && takes(model, media.mimeType))
        fresh.push({ id, index: part.index });
    }
    for (const step of steps) {
      if (step.modelId === model.id && isAnswered(step)) accepted.push(...fresh.splice(0));
      fresh.push(...attachedIn(step, model));
    }
  }
  const refused = refusedMedia(state, model);
  const isRead = (reference: AttachmentReference) => !refused.has(attachmentKey(reference));
  fresh = fresh.filter(isRead);
  return fresh.length > 0 ? fresh : accepted.filter(isRead);
}

function isAnswered({ ended }: Step): boolean {
  return ended !== null && ended.finish !== "error" && ended.finish !== "cancelled";
}

function attachedIn(step: Step, model: ModelInfo): AttachmentReference[] {
  return step.parts.flatMap((part) => {
    if (part.type !== "tool") return [];
    return (part.result?.attachments ?? []).flatMap(({ mimeType }, index) =>
      takes(model, mimeType) ? [{ id: part.call.callId, index }] : [],
    );
  });
}
