import { LandlineError, type EventBody, type Limits } from "@landline/protocol";
import type { AgentUpdate } from "../agents/connection/message.ts";
import type { EventDraft, SessionLog } from "../log/log.ts";
import { MessageStreams } from "./message-streams.ts";

/**
 * The way into a session's log. What one read of the agent yields is gathered and written at once; what
 * comes from elsewhere is written right away. When the log refuses what an agent said, nothing is
 * dropped: it is kept, the agent is not read from, and it is tried again until it is written.
 */
export class Inbox {
  readonly #log: SessionLog;
  readonly #limits: Limits;
  readonly #onHeld: (held: boolean) => void;
  readonly #streams: MessageStreams;
  #drafts: EventDraft[] = [];
  #reading = false;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(log: SessionLog, limits: Limits, onHeld: (held: boolean) => void) {
    this.#log = log;
    this.#limits = limits;
    this.#onHeld = onHeld;
    this.#streams = new MessageStreams(limits, (draft) => this.#drafts.push(draft));
  }

  /** What is recorded from here to `flush` belongs to the present read of the agent. */
  startReading(): void {
    this.#reading = true;
  }

  /** Something of the present read of the agent. */
  gather(draft: EventDraft): void {
    this.#reading = true;
    this.#drafts.push(draft);
  }

  /** An update of the present read; tokens of ours in its text are masked, also where several chunks bring one. */
  update(update: AgentUpdate, child: string | null): void {
    this.#reading = true;
    this.#streams.take(update, child);
  }

  /** The present read is over. */
  flush(): void {
    this.#reading = false;
    if (this.#drafts.length === 0 || this.#retry !== null || this.#closed) return;
    const drafts = this.#drafts;
    this.#drafts = [];
    try {
      this.#log.append(drafts);
    } catch (error) {
      this.#keep(drafts, error);
    }
  }

  /** An event of ours, in its place among what the agent says. Throws when the log refuses it. */
  record(events: readonly EventBody[]): void {
    if (!this.#reading && this.#retry !== null) throw new LandlineError("disk-failed");
    for (const event of events) this.#streams.note(event);
    if (this.#reading) {
      this.#drafts.push(...events);
      return;
    }
    const late = this.#drafts;
    this.#drafts = [];
    try {
      this.#log.append(late.length === 0 ? events : [...late, ...events]);
    } catch (error) {
      if (late.length > 0) this.#keep(late, error);
      throw error;
    }
  }

  /** The last chance for what is waiting. */
  close(): void {
    if (this.#retry) clearTimeout(this.#retry);
    this.#retry = null;
    this.#streams.end();
    this.flush();
    this.#closed = true;
  }

  #keep(drafts: EventDraft[], error: unknown): void {
    if (!(error instanceof LandlineError) || error.code === "session-closed") return;
    this.#drafts = drafts;
    this.#tryAgain();
  }

  #tryAgain(): void {
    this.#onHeld(true);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.flush();
      if (this.#retry === null) this.#onHeld(false);
    }, this.#limits.logRetryMs);
  }
}
