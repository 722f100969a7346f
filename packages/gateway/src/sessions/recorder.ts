import type { EventBody, SessionSummary, SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { Inbox } from "./inbox.ts";
import { interruptedView, type Interruption } from "./interruption.ts";
import { LiveSummary } from "./live-summary.ts";
import type { SessionParts } from "./parts-from-log.ts";
import type { PromptQueue } from "./prompt-queue.ts";
import type { SessionHost } from "./session-host.ts";
import type { StateMachine } from "./session-state.ts";

export interface RecorderOptions {
  readonly host: SessionHost;
  readonly state: StateMachine;
  readonly queue: PromptQueue;
  /** Called with true when the log refuses the agent's events, and with false when it accepts them again. */
  readonly held: (isHeld: boolean) => void;
}

/**
 * Records the events of a session and keeps its queue and its summary up to date. The events that an earlier
 * gateway could not record come before the next event.
 */
export class Recorder {
  readonly log: SessionLog;
  readonly inbox: Inbox;
  readonly #options: RecorderOptions;
  readonly #summary: LiveSummary;
  readonly #interruption: Interruption | null;

  constructor({ log, summary, before }: SessionParts, options: RecorderOptions) {
    const { host, state, held } = options;
    this.log = log;
    this.#options = options;
    this.#summary = new LiveSummary(log, summary);
    this.#interruption = before?.interruption ?? null;
    if (before && before.interruption.ends.length > 0) state.apply("log-interrupted");
    this.inbox = new Inbox(log, host.limits, {
      held,
      failed: (error) =>
        host.report(log.sessionId, "Events could not be appended to the log.", error),
      appended: (drafts, chunk) => {
        if (!this.#summary.note(drafts, chunk)) return;
        const notify = () => this.notifyWatchers();
        if (chunk.last <= log.visible) notify();
        else void log.whenDurable(chunk.last).then(notify, () => {});
      },
    });
  }

  get summary(): SessionSummary {
    const summary = this.#summary.visible;
    return this.lacksEnds ? { ...summary, state: "idle" } : summary;
  }

  /** Whether the session is closed, according to all events, including those that are not visible yet. */
  get isClosed(): boolean {
    return this.#summary.session.closedAt !== null;
  }

  /** Whether the missing end events are still to be recorded. */
  get lacksEnds(): boolean {
    return this.#options.state.now.log === "interrupted";
  }

  async view(): Promise<SessionView> {
    const view = await this.#options.host.viewOf(this.log);
    return this.#interruption ? interruptedView(view, this.#interruption) : view;
  }

  record(...given: EventBody[]): void {
    const ends = this.lacksEnds ? (this.#interruption?.ends ?? []) : [];
    this.inbox.record(given, ends);
    if (this.lacksEnds) this.#options.state.apply("log-completed");
    for (const event of [...ends, ...given]) this.#options.queue.note(event);
  }

  recordEnds(): void {
    if (this.lacksEnds) this.record();
  }

  /** A command is acknowledged only after its events are durable. Throws if the log refused some. */
  whenDurable(): Promise<void> | undefined {
    if (this.inbox.refusal) throw this.inbox.refusal;
    const { head, visible } = this.log;
    return visible < head ? this.log.whenDurable(head) : undefined;
  }

  notifyWatchers(): void {
    this.#options.host.changed(this.summary);
  }
}
