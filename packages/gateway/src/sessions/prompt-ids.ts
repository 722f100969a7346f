import { decodeLine } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { kindOfLine, linesOf } from "../log/log-lines.ts";

const kind = "prompt-queued";

/** The ids of the prompts in a log, oldest first. Other lines are not parsed. */
export async function* promptIdsIn(log: Pick<SessionLog, "read">): AsyncGenerator<string> {
  for await (const chunk of log.read(0)) {
    // Most chunks have none and are not split.
    if (!chunk.bytes.includes(kind)) continue;
    for (const line of linesOf(chunk)) {
      if (kindOfLine(line) !== kind) continue;
      const { promptId } = decodeLine(line) as { readonly promptId?: unknown };
      if (typeof promptId === "string") yield promptId;
    }
  }
}

export async function isPromptIn(
  log: Pick<SessionLog, "read">,
  promptId: string,
): Promise<boolean> {
  for await (const known of promptIdsIn(log)) if (known === promptId) return true;
  return false;
}
