import { decodeLine, textOfMember, type EventBody } from "@landline/protocol";
import type { EventDraft, SessionLog } from "../log/log.ts";
import { linesOf } from "../log/log-lines.ts";
import { withLongTexts } from "./long-texts.ts";

/** Events about the original session's processes, which are not copied. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "session-opened",
  "session-changed",
  "session-closed",
  "agent-waiting",
  "agent-started",
  "agent-exited",
  "agent-noise",
]);

/** Copies the conversation of a log up to the event `last` into another log with new sequence numbers. */
export async function copyConversation(
  from: SessionLog,
  to: SessionLog,
  last: number,
): Promise<void> {
  for await (const chunk of from.read(0)) {
    const { first } = chunk;
    if (first > last) break;
    const drafts: EventDraft[] = [];
    for (const line of linesOf(chunk).slice(0, last - first + 1)) {
      // Restores blobs, which the append moves beside the new log.
      const draft = draftOf(await withLongTexts(line, from));
      if (draft) drafts.push(draft);
    }
    if (drafts.length > 0) to.append(drafts);
  }
}

function draftOf(line: string): EventDraft | null {
  const { seq: _seq, at: _at, ...body } = decodeLine(line);
  if (LEFT_OUT.has(body.kind)) return null;
  const raw = body.kind === "update" ? textOfMember(line, ["update"]) : null;
  if (raw === null) return body as EventBody;
  return {
    kind: "update",
    raw,
    ...("child" in body && typeof body.child === "string" && { child: body.child }),
  };
}
