import {
  activeAfter,
  changesSummary,
  decodeLine,
  foldSummary,
  summaryOf,
  type SessionSummary,
  type SummaryParts,
} from "@landline/protocol";
import type { AppendedChunk, EventDraft, SessionLog } from "../log/log.ts";

/**
 * What lists show of a session that is in memory, from the events as its log has them. Only the few events that
 * change a summary are read; of all others, a text chunk for example, only the time counts.
 */
export class LiveSummary {
  readonly #log: Pick<SessionLog, "sessionId" | "visible">;
  #parts: SummaryParts;
  /** Without the events that are not visible yet. */
  #shown: SummaryParts;
  /** Between these two, the oldest first. */
  readonly #hidden: { readonly last: number; readonly parts: SummaryParts }[] = [];

  constructor(log: Pick<SessionLog, "sessionId" | "visible">, parts: SummaryParts) {
    this.#log = log;
    this.#parts = parts;
    this.#shown = parts;
  }

  get session(): SummaryParts["session"] {
    return this.#parts.session;
  }

  /** What may be shown. */
  get visible(): SessionSummary {
    this.#show();
    const { sessionId, visible: head } = this.#log;
    return summaryOf(sessionId, { ...this.#shown, head });
  }

  /** What was appended to the log. True when a list may show it. */
  note(drafts: readonly EventDraft[], { at, bytes, last }: AppendedChunk): boolean {
    const before = this.#parts;
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
    if (this.#parts !== before) this.#hidden.push({ last, parts: this.#parts });
    this.#show();
    return lines !== null;
  }

  #show(): void {
    for (let [next] = this.#hidden; next && next.last <= this.#log.visible; [next] = this.#hidden) {
      this.#shown = next.parts;
      this.#hidden.shift();
    }
  }
}
