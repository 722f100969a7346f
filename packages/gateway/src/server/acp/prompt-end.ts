import {
  decodeLine,
  type Numbered,
  type PromptWithdrawn,
  type TurnEnded,
} from "@landline/protocol";
import type { VisibleLog } from "../../log/log.ts";

/** How a prompt ended: with its turn, or because it was withdrawn before. */
export type PromptEnd = (TurnEnded | PromptWithdrawn) & Numbered;

/** Returns null if the prompt is unknown, waits, or is being processed. */
export async function endOfPrompt(
  promptId: string,
  log: Pick<VisibleLog, "read">,
): Promise<PromptEnd | null> {
  let turnId: string | null = null;
  for await (const { bytes } of log.read(0)) {
    // Most chunks name neither and are not split.
    if (!bytes.includes(turnId ?? promptId)) continue;
    for (const line of bytes.toString("utf8").trimEnd().split("\n")) {
      if (!marks.some((mark) => line.includes(mark))) continue;
      const event = decodeLine(line);
      if (event.kind === "turn-started" && event["promptId"] === promptId)
        turnId = event["turnId"] as string;
      else if (event.kind === "prompt-withdrawn" && event["promptId"] === promptId)
        return event as PromptEnd;
      else if (event.kind === "turn-ended" && event["turnId"] === turnId) return event as PromptEnd;
    }
  }
  return null;
}

const marks = ["turn-started", "turn-ended", "prompt-withdrawn"].map(
  (kind) => `,"kind":"${kind}",`,
);
