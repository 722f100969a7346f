import type { SessionView } from "@landline/protocol";
import type { AnyEvent } from "./read-frame.ts";

/** Of prompts that the gateway has, as these events say. */
export function* promptIdsIn(events: readonly AnyEvent[]): Generator<string> {
  for (const event of events) {
    if (event.kind === "prompt-queued" && typeof event.promptId === "string") yield event.promptId;
  }
}

/** Of prompts that wait and of those that a turn was made of. */
export function* promptIdsOf(view: SessionView): Generator<string> {
  for (const { promptId } of view.queue) yield promptId;
  for (const item of view.items) if (item.type === "prompt") yield item.promptId;
}
