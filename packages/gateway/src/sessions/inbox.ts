import { asLandlineError, LandlineError, type EventBody, type Limits } from "@landline/protocol";
import type { AgentUpdate } from "../acp-connection/message.ts";
import type { AppendedChunk, EventDraft, SessionLog } from "../log/log.ts";
import { MessageStreams } from "./message-streams.ts";

/** Events about the past. All other events precede their effect and can be refused. */
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
  /** Called with true when the log refuses the agent's events, and with false when it accepts them again. */
  held(isHeld: boolean): void;
  /** The log threw an unexpected error. Called once until it accepts events again. */
  failed(error: unknown): void;
  appended(drafts: readonly EventDraft[], chunk: AppendedChunk): void;
}

/**
 * Appends events to a session's log. Events of one read of the agent are appended together; others are appended
 * immediately. If the log refuses events of the agent or events about the past, they are retried until they are
 * written, and reading from the agent pauses.
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

  /** Events from here to `flush` belong to the current read of the agent. */
  startReading(): void {
    this.#reading = true;
  }

  /** Adds an event of the current read. */
  gather(draft: EventDraft): void {
    this.#reading = true;
    this.#drafts.push(draft);
  }

  /** Adds an update of the current read. Masks tokens of the gateway in its text, even across chunks. */
  update(update: AgentUpdate, child: string | null): void {
    this.#reading = true;
    this.#streams.take(update, child);
  }

  /** Ends the current read. */
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

  /** Why events are still to be written; null if there are none. */
  get refusal(): LandlineError | null {
    return this.#refusal;
  }

  /**
   * Records events of the gateway in order with those of the agent; `earlier` events come first. Throws if the log
   * refuses them and none of them is about the past.
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

  /** Tries a last time to write waiting events. */
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

  /** Retries the drafts later, unless the log has them or is closed. `head`: the head before the error. */
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
