import {
  activeAfter,
  changesSummary,
  decodeLine,
  foldSummary,
  summaryOf,
  type SessionSummary,
  type SummaryParts,
} from "@landline/protocol";
import type { AppendedChunk, EventDraft } from "../log/log.ts";

/**
 * What lists show of a session that is in memory, from the events as its log has them. Only the few events that
 * change a summary are read; of all others, a text chunk for example, only the time counts.
 */
export class LiveSummary {
  #parts: SummaryParts;

  constructor(parts: SummaryParts) {
    this.#parts = parts;
  }

  get session(): SummaryParts["session"] {
    return this.#parts.session;
  }

  of(sessionId: string, head: number): SessionSummary {
    return summaryOf(sessionId, { ...this.#parts, head });
  }

  /** What was appended to the log. True when a list may show it. */
  note(drafts: readonly EventDraft[], { at, bytes }: AppendedChunk): boolean {
    let lines: readonly string[] | null = null;
    for (const [index, draft] of drafts.entries()) {
      const { kind } = draft;
      if (changesSummary(kind, "raw" in draft ? draft.sessionUpdate : undefined)) {
        lines ??= bytes.toString("utf8").split("\n");
        this.#parts = foldSummary(this.#parts, decodeLine(lines[index] ?? ""));
      } else {
        const activeAt = activeAfter(this.#parts, { kind, at });
        if (activeAt !== this.#parts.activeAt) this.#parts = { ...this.#parts, activeAt };
      }
    }
    return lines !== null;
  }
}
