import type { SessionView } from "@landline/protocol";
import type { AnyEvent } from "./read-frame.ts";

/** The ids of prompts in these events. */
export function* promptIdsIn(events: readonly AnyEvent[]): Generator<string> {
  for (const event of events) {
    if (event.kind === "prompt-queued" && typeof event.promptId === "string") yield event.promptId;
  }
}

/** The ids of queued prompts and of prompts with a turn. */
export function* promptIdsOf(view: SessionView): Generator<string> {
  for (const { promptId } of view.queue) yield promptId;
  for (const item of view.items) if (item.type === "prompt") yield item.promptId;
}
