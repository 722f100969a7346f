import type { ModelInfo } from "../model/model.ts";
import { keptTurns } from "./context-turns.ts";
import { mediaOf, takes } from "./media.ts";
import type { AttachmentPlace } from "./record.ts";
import type { SessionState, Step } from "./state.ts";

/** By place: which attachments a model's provider refused, and in which words. */
export type RefusedMedia = ReadonlyMap<string, string>;

export function placeKey({ id, index }: AttachmentPlace): string {
  return `${index} ${id}`;
}

export function refusedMedia(state: SessionState, model: ModelInfo): RefusedMedia {
  const refused = new Map<string, string>();
  for (const { modelId, attachments, problem } of state.refused) {
    if (modelId !== model.id) continue;
    for (const place of attachments) refused.set(placeKey(place), problem);
  }
  return refused;
}

/**
 * The attachments that a refusal can be about: those that the model has not answered to yet, or all that it still
 * reads when there are none of those.
 */
export function suspectMedia(state: SessionState, model: ModelInfo): AttachmentPlace[] {
  const accepted: AttachmentPlace[] = [];
  let fresh: AttachmentPlace[] = [];
  for (const { turn, steps } of keptTurns(state)) {
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
  const isRead = (place: AttachmentPlace) => !refused.has(placeKey(place));
  fresh = fresh.filter(isRead);
  return fresh.length > 0 ? fresh : accepted.filter(isRead);
}

function isAnswered({ ended }: Step): boolean {
  return ended !== null && ended.finish !== "error" && ended.finish !== "cancelled";
}

function attachedIn(step: Step, model: ModelInfo): AttachmentPlace[] {
  return step.parts.flatMap((part) => {
    if (part.type !== "tool") return [];
    return (part.result?.attachments ?? []).flatMap(({ mimeType }, index) =>
      takes(model, mimeType) ? [{ id: part.call.callId, index }] : [],
    );
  });
}
