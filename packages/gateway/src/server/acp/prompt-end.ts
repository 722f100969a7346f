import type { PromptResponse, StopReason } from "@agentclientprotocol/sdk";
import {
  acpMeta,
  decodeLine,
  isErrorCode,
  LandlineError,
  type Numbered,
  type PromptWithdrawn,
  type TurnEnded,
} from "@landline/protocol";
import type { VisibleLog } from "../../log/log.ts";
import { kindOfLine, linesOf } from "../../log/log-lines.ts";

/** How a prompt ended: with its turn, or because it was withdrawn before. */
export type PromptEnd = (TurnEnded | PromptWithdrawn) & Numbered;

/** Returns null if the prompt is unknown, waits, or is being processed. */
export async function endOfPrompt(
  promptId: string,
  log: Pick<VisibleLog, "read">,
): Promise<PromptEnd | null> {
  let turnId: string | null = null;
  for await (const chunk of log.read(0)) {
    // Most chunks name neither and are not split.
    if (!chunk.bytes.includes(turnId ?? promptId)) continue;
    for (const line of linesOf(chunk)) {
      if (!kinds.has(kindOfLine(line))) continue;
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

const kinds: ReadonlySet<string | null> = new Set([
  "turn-started",
  "turn-ended",
  "prompt-withdrawn",
]);

/** The response to a prompt that ended in no error. */
export function responseOf(end: PromptEnd): PromptResponse {
  const _meta = { [acpMeta.cursor]: end.seq };
  if (end.kind === "prompt-withdrawn")
    return { stopReason: "cancelled", _meta: { ..._meta, [acpMeta.withdrawn]: true } };
  const { stopReason, usage } = end;
  return { stopReason: stopReason as StopReason, ...(usage && { usage }), _meta };
}

/** The error of a prompt that failed; null if it did not. */
export function failureOf(end: PromptEnd): LandlineError | null {
  const data = { [acpMeta.cursor]: end.seq };
  if (end.kind === "prompt-withdrawn") return null;
  if (end.stopReason === "interrupted") return new LandlineError("turn-interrupted", { data });
  if (end.stopReason !== "failed") return null;
  const { code, message = "The turn failed." } = end.error ?? {};
  return new LandlineError(isErrorCode(code) ? code : "internal-error", { message, data });
}
