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
import { linesOf } from "../log/log-lines.ts";

/**
 * The summary of a session in memory, updated from appended events. Only events that change a summary are decoded;
 * for others, only the time counts.
 */
export class LiveSummary {
  readonly #log: Pick<SessionLog, "sessionId" | "visible">;
  #parts: SummaryParts;
  /** Without events that are not visible yet. */
  #shown: SummaryParts;
  /** The states between the two, the oldest first. */
  readonly #hidden: { readonly last: number; readonly parts: SummaryParts }[] = [];

  constructor(log: Pick<SessionLog, "sessionId" | "visible">, parts: SummaryParts) {
    this.#log = log;
    this.#parts = parts;
    this.#shown = parts;
  }

  get session(): SummaryParts["session"] {
    return this.#parts.session;
  }

  /** The summary of the visible events. */
  get visible(): SessionSummary {
    this.#show();
    const { sessionId, visible: head } = this.#log;
    return summaryOf(sessionId, { ...this.#shown, head });
  }

  /** Updates the summary. Returns whether a list may change. */
  note(drafts: readonly EventDraft[], chunk: AppendedChunk): boolean {
    const { at, last } = chunk;
    const before = this.#parts;
    let lines: readonly string[] | null = null;
    for (const [index, draft] of drafts.entries()) {
      const { kind } = draft;
      if (changesSummary(kind, "raw" in draft ? draft.sessionUpdate : undefined)) {
        lines ??= linesOf(chunk);
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
