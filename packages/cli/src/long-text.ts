import { blobOf, recordOf, type SessionEvent, type UnknownEvent } from "@landline/protocol";
import type { Api } from "@landline/client";

/**
 * Restores the texts of messages and permission requests that were too long for a line of the log. Commands do not show
 * other long texts, so those are not loaded.
 */
export async function withLongText(
  event: SessionEvent | UnknownEvent,
  sessionId: string,
  api: Pick<Api, "text">,
): Promise<SessionEvent | UnknownEvent> {
  const read = (hash: string) => api.text("read-blob", { session: sessionId, hash });
  const name = event.kind === "update" ? "update" : event.kind === "ask-opened" ? "toolCall" : null;
  const holder = name === null ? null : recordOf(event[name as keyof typeof event]);
  if (name === null || holder === null) return event;
  const content = await withTexts(holder["content"], read);
  return content === holder["content"] ? event : { ...event, [name]: { ...holder, content } };
}

type Read = (hash: string) => Promise<string>;

/**
 * A content block, or the content list of a tool call with texts and diffs. Returns the same value if nothing was
 * stored as a blob.
 */
async function withTexts(content: unknown, read: Read): Promise<unknown> {
  if (Array.isArray(content)) {
    const entries = await Promise.all(content.map((entry) => withTexts(entry, read)));
    return entries.some((entry, index) => entry !== content[index]) ? entries : content;
  }
  const record = recordOf(content);
  if (record === null) return content;
  const changed: Record<string, unknown> = {};
  for (const field of ["text", "oldText", "newText", "content"]) {
    const blob = blobOf(record[field]);
    const text = blob ? await read(blob.$blob) : await withTexts(record[field], read);
    if (text !== record[field]) changed[field] = text;
  }
  return Object.keys(changed).length === 0 ? content : { ...record, ...changed };
}
