import type { SessionEvent } from "@landline/protocol";
import type { ReadableLog } from "../log/log.ts";
import { fieldOf, stringOf } from "./reading.ts";
import type { AnyEvent } from "./session-facts.ts";
import { clipText } from "./text.ts";

/**
 * The same events, with the beginning of those texts of prompts and messages in place that were too long
 * for the log, so that they can be searched for. For the tables only: views keep the reference.
 */
export async function withLongTexts(
  log: ReadableLog,
  events: readonly AnyEvent[],
  length: number,
): Promise<readonly AnyEvent[]> {
  if (!events.some(hasLongText)) return events;
  const result: AnyEvent[] = [];
  for (const event of events)
    result.push(hasLongText(event) ? await withTexts(log, event as SessionEvent, length) : event);
  return result;
}

function hasLongText(any: AnyEvent): boolean {
  const event = any as SessionEvent;
  switch (event.kind) {
    case "prompt-queued":
    case "prompt-changed":
      return event.content.some((block) => hashOf(block) !== undefined);
    case "update":
      return hashOf(event.update["content"]) !== undefined;
    default:
      return false;
  }
}

async function withTexts(log: ReadableLog, event: SessionEvent, length: number): Promise<AnyEvent> {
  switch (event.kind) {
    case "prompt-queued":
    case "prompt-changed": {
      const content: unknown[] = [];
      for (const block of event.content) content.push(await withText(log, block, length));
      return { ...event, content: content as typeof event.content };
    }
    case "update": {
      const content = await withText(log, event.update["content"], length);
      return { ...event, update: { ...event.update, content } };
    }
    default:
      return event;
  }
}

async function withText(log: ReadableLog, block: unknown, length: number): Promise<unknown> {
  const hash = hashOf(block);
  const bytes = hash === undefined ? null : await log.blob(hash);
  if (bytes === null) return block;
  // No character takes more than three bytes for each of its units.
  const text = clipText(bytes.toString("utf8", 0, length * 3), length);
  return { ...(block as object), text };
}

/** Of the text of a content block, when it stands as a reference. */
function hashOf(block: unknown): string | undefined {
  return stringOf(fieldOf(fieldOf(block, "text"), "$blob"));
}
