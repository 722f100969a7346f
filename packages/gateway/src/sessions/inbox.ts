import { LandlineError, type EventBody, type Limits } from "@landline/protocol";
import type { AgentUpdate } from "../acp-connection/message.ts";
import { asLandlineError } from "../agents/exit-error.ts";
import type { AppendedChunk, EventDraft, SessionLog } from "../log/log.ts";
import { MessageStreams } from "./message-streams.ts";

/** Events that say what has happened. All others say what is about to happen, and can be refused. */
const facts: ReadonlySet<EventBody["kind"]> = new Set([
  "agent-started",
  "agent-exited",
  "agent-waiting",
  "options-changed",
  "turn-changed",
  "turn-ended",
  "terminal-exited",
  "error",
]);

function hasHappened(event: EventBody): boolean {
  const isOurs = event.kind === "ask-settled" && "gateway" in event.by;
  return isOurs || facts.has(event.kind);
}

interface InboxOwner {
  /** The log refuses what the agent says (true), or accepts it again. */
  held(isHeld: boolean): void;
  /** The log threw an error that is not one of its own. Called once until it accepts events again. */
  failed(error: unknown): void;
  appended(drafts: readonly EventDraft[], chunk: AppendedChunk): void;
}

/**
 * The way into a session's log. What one read of the agent yields is gathered and written at once; what
 * comes from elsewhere is written right away. When the log refuses what an agent said or what has happened, nothing is
 * dropped: it is kept, the agent is not read from, and it is tried again until it is written.
 */
export class Inbox {
  readonly #log: SessionLog;
  readonly #limits: Limits;
  readonly #owner: InboxOwner;
  readonly #streams: MessageStreams;
  #drafts: EventDraft[] = [];
  #reading = false;
  #retry: NodeJS.Timeout | null = null;
  #refusal: LandlineError | null = null;
  #closed = false;

  constructor(log: SessionLog, limits: Limits, owner: InboxOwner) {
    this.#log = log;
    this.#limits = limits;
    this.#owner = owner;
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

  /** An update of the present read; the gateway's tokens in its text are masked, also where several chunks bring one. */
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
    const { head } = this.#log;
    try {
      this.#append(drafts);
    } catch (error) {
      this.#keep(drafts, error, head);
    }
  }

  /** Why the log lacks something that is still to be written; null when it lacks nothing. */
  get refusal(): LandlineError | null {
    return this.#refusal;
  }

  /**
   * Events of ours, in their place among what the agent says; `earlier` ones come before. Throws when the log refuses
   * them and none of them has happened yet.
   */
  record(events: readonly EventBody[], earlier: readonly EventBody[] = []): void {
    const isKept = this.#reading || events.some(hasHappened);
    if (!isKept && this.#refusal) throw this.#refusal;
    const all = [...earlier, ...events];
    for (const event of all) this.#streams.note(event);
    if (isKept) {
      this.#drafts.push(...all);
      if (!this.#reading) this.flush();
      return;
    }
    const late = this.#drafts;
    this.#drafts = [];
    const { head } = this.#log;
    try {
      this.#append([...late, ...all]);
    } catch (error) {
      if (late.length > 0) this.#keep(late, error, head);
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

  #append(drafts: readonly EventDraft[]): void {
    this.#owner.appended(drafts, this.#log.append(drafts));
  }

  /** Tries again later to append the drafts, unless the log has them or is closed. `head`: of the log before it threw. */
  #keep(drafts: EventDraft[], error: unknown, head: number): void {
    const isUnexpected = !(error instanceof LandlineError);
    if (isUnexpected && this.#refusal === null) this.#owner.failed(error);
    const refusal = asLandlineError(error);
    if (refusal.code === "session-closed" || this.#log.head > head) return;
    this.#drafts = drafts;
    this.#refusal = refusal;
    this.#owner.held(true);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.flush();
      if (this.#retry !== null) return;
      this.#refusal = null;
      this.#owner.held(false);
    }, this.#limits.logRetryMs);
  }
}
