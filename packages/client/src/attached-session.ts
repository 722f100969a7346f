import {
  emptyView,
  fold,
  isTransient,
  sessionGoneCodes,
  type LandlineError,
  type SessionView,
  type GatewayFrame,
} from "@landline/protocol";
import { BackOff } from "./back-off.ts";
import { WritableStore } from "./writable-store.ts";
import type { Commands } from "./commands.ts";
import type { SessionSnapshot } from "./contract.ts";
import { takeInOrder } from "./event-order.ts";
import type { FrameClock } from "./frame-clock.ts";
import type { AnyEvent } from "./read-frame.ts";
import { History } from "./history.ts";
import type { Api } from "./api.ts";
import type { Connection } from "./connection.ts";
import { Listeners } from "./listeners.ts";
import type { Outbox } from "./outbox.ts";
import { promptIdsIn, promptIdsOf } from "./prompt-ids.ts";
import type { Timing } from "./timing.ts";

/** State that all sessions of a client share. */
export interface SessionContext {
  readonly line: Connection;
  readonly commands: Commands;
  readonly outbox: Outbox;
  readonly api: Api;
  readonly clock: FrameClock;
  readonly timing: Timing;
}

/**
 * The local state of one session. While it is wanted it is attached, and after a disconnect it attaches again at the
 * last sequence number, so every event is folded once and in order. The old view stays visible until a newer one is
 * ready.
 */
export class AttachedSession {
  readonly id: string;
  readonly store: WritableStore<SessionSnapshot>;
  readonly onEvents = new Listeners<[readonly AnyEvent[]]>();
  readonly history: History;

  readonly #context: SessionContext;
  readonly #backOff: BackOff;
  /** Separate from `#backOff`, because an unreadable log can deliver many events before it fails. */
  readonly #gapBackOff: BackOff;
  #isWanted = false;
  #phase: "detached" | "attaching" | "attached" | "gone" | "failed" = "detached";
  #error: LandlineError | null = null;
  #attempt = 0;
  #view: SessionView | null = null;
  /** The previous view, shown until a view that is rebuilt from the start catches up. */
  #outdated: SessionView | null = null;
  #pending: AnyEvent[] = [];
  /** The sequence number of the last event received in order. */
  #received = 0;
  /** The end of the log at attach. Events up to it are old. */
  #target = 0;
  /** The last known end of the log. */
  #head = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #stallTimer: ReturnType<typeof setTimeout> | undefined;
  #receivedAtLook = 0;

  constructor(id: string, context: SessionContext) {
    this.id = id;
    this.#context = context;
    this.#backOff = new BackOff(context.timing.retryMs, context.timing.retryMsMost);
    this.#gapBackOff = new BackOff(context.timing.retryMs, context.timing.retryMsMost);
    this.history = new History(id, context.api, context.timing, () => this.publish());
    this.store = new WritableStore<SessionSnapshot>({
      sessionId: id,
      state: "waiting",
      view: null,
      older: [],
      history: "whole",
      behind: 0,
      outgoing: context.outbox.outgoingOf(id),
      error: null,
    });
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  get isAttached(): boolean {
    return this.#phase === "attached";
  }

  get view(): SessionView | null {
    return this.#outdated ?? this.#view;
  }

  /** Attaches now if online, else on the next connection. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#resetWaits();
    if (this.#phase !== "attaching" && this.#phase !== "attached") this.#phase = "detached";
    this.#attach();
    this.publish();
  }

  /** Detaches and keeps the view, so that the session can resume. */
  unwant(): void {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    const wasAttached = this.#phase === "attaching" || this.#phase === "attached";
    this.#forgetAttempt();
    this.#flush();
    if (this.#phase !== "gone") this.#phase = "detached";
    // Delivery does not matter: a new connection has no attached sessions.
    if (wasAttached && this.#context.line.isOnline) {
      this.#context.commands.quick("detach", { sessionId: this.id }).catch(() => {});
    }
    this.publish();
  }

  close(): void {
    this.#isWanted = false;
    this.#forgetAttempt();
    this.#phase = "detached";
    this.onEvents.clear();
  }

  lineChanged(): void {
    const { line } = this.#context;
    if (!line.isOnline) {
      this.#forgetAttempt();
      if (this.#phase === "attaching" || this.#phase === "attached") this.#phase = "detached";
    } else if (this.#phase === "detached" || this.#phase === "failed") {
      this.#resetWaits();
      this.#attach();
    }
    this.publish();
  }

  hear(frame: GatewayFrame): void {
    if (frame.type === "attached") this.#attached(frame);
    else if (frame.type === "events") this.#take(frame.events);
    else if (frame.type === "gap") this.#gap();
  }

  /** Whether the received events contain the prompt. */
  knowsPrompt(promptId: string): boolean {
    this.#flush();
    return this.#view !== null && promptIdsOf(this.#view).some((known) => known === promptId);
  }

  /** Reports the end of the log from the session list. */
  headIs(head: number): void {
    if (this.#phase === "attached" && head > this.#head) {
      this.#head = head;
      this.#watchForStall();
    }
  }

  /** Marks the session as deleted. */
  gone(): void {
    this.#forgetAttempt();
    this.#flush();
    this.#phase = "gone";
    this.publish();
  }

  #attach(): void {
    const { line, commands } = this.#context;
    if (!this.#isWanted || !line.isOnline || this.#phase === "gone") return;
    this.#forgetAttempt();
    this.#flush();
    const attempt = this.#attempt;
    this.#phase = "attaching";
    this.#error = null;
    const after = this.#received > 0 ? { after: this.#received } : {};
    void commands.quick("attach", { sessionId: this.id, ...after }).then(
      () => this.#answered(attempt, null),
      (error: LandlineError) => this.#answered(attempt, error),
    );
  }

  #answered(attempt: number, error: LandlineError | null): void {
    if (attempt !== this.#attempt) return;
    if (error) this.#attachFailed(error);
    // The `attached` frame, with any snapshot, precedes the reply.
    else if (this.#phase === "attaching") this.#again();
  }

  #attachFailed(error: LandlineError): void {
    const { code } = error;
    if (sessionGoneCodes.includes(code)) this.gone();
    else if (code === "cursor-ahead") this.#gap();
    // The next connection attaches again.
    else if (!this.#context.line.isOnline) this.#forgetAttempt();
    else if (isTransient(code, "connection")) this.#again(error.retryAfterMs);
    else {
      this.#forgetAttempt();
      this.#phase = "failed";
      this.#error = error;
      this.publish();
    }
  }

  #attached(frame: Extract<GatewayFrame, { type: "attached" }>): void {
    if (this.#phase !== "attaching") return;
    if (frame.from === "snapshot") {
      if (frame.view.head < this.#received) return;
      this.#view = frame.view;
      this.#received = frame.view.head;
      if (this.#outdated === null) this.history.startOver();
      this.#acknowledge(promptIdsOf(frame.view));
    }
    this.#phase = "attached";
    this.#head = frame.head;
    this.#target = frame.head;
    this.#watchForStall();
    this.#showIfNew();
    this.publish();
  }

  #take(events: readonly AnyEvent[]): void {
    if (this.#phase !== "attached") return;
    const taken = takeInOrder(this.#received, events);
    const last = taken.events.at(-1);
    if (last) {
      for (const event of taken.events) this.#pending.push(event);
      this.#received = last.seq;
      this.#head = Math.max(this.#head, last.seq);
      this.#backOff.reset();
      this.#context.clock.add(this.#flush);
    }
    if (taken.isBroken) this.#again(last ? 0 : undefined);
  }

  /** The log cannot serve the cursor, or could not be read. Request it from the start and keep the current view. */
  #gap(): void {
    if (this.#phase !== "attaching" && this.#phase !== "attached") return;
    this.#pending = [];
    this.#outdated ??= this.#view;
    this.#view = null;
    this.#received = 0;
    this.#head = 0;
    this.#again(this.#gapBackOff.next());
  }

  /** Attaches again at the last sequence number, after a delay that grows until events arrive. */
  #again(waitMs = this.#backOff.next()): void {
    this.#forgetAttempt();
    this.#phase = "detached";
    if (waitMs === 0) this.#attach();
    else this.#retryTimer = setTimeout(() => this.#attach(), waitMs);
    this.publish();
  }

  #resetWaits(): void {
    this.#backOff.reset();
    this.#gapBackOff.reset();
  }

  /** Ignores replies to earlier attempts. */
  #forgetAttempt(): void {
    this.#attempt += 1;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
  }

  /** Attaches again if expected events do not arrive. */
  #watchForStall(): void {
    if (this.#received >= this.#head || this.#stallTimer !== undefined) return;
    this.#receivedAtLook = this.#received;
    this.#stallTimer = setTimeout(() => {
      this.#stallTimer = undefined;
      if (this.#received === this.#receivedAtLook) this.#again();
      else this.#watchForStall();
    }, this.#context.timing.quickCommandMs);
  }

  readonly #flush = (): void => {
    const events = this.#pending;
    if (events.length === 0) return;
    this.#pending = [];
    this.#view = fold(this.#view ?? emptyView(), events);
    this.#acknowledge(promptIdsIn(events));
    this.#showIfNew();
    this.publish();
    if (this.onEvents.size > 0) this.onEvents.tell(events);
  };

  #showIfNew(): void {
    if (this.#outdated === null || this.#phase !== "attached") return;
    if ((this.#view?.head ?? 0) < this.#target) return;
    this.#outdated = null;
    this.history.startOver();
  }

  #acknowledge(promptIds: Iterable<string>): void {
    for (const promptId of promptIds) this.#context.outbox.heard(this.id, promptId);
  }

  publish(): void {
    const view = this.view;
    const missing = this.#target - (this.#view?.head ?? 0);
    const behind = this.#phase === "attached" ? Math.max(0, missing) : 0;
    this.store.set({
      sessionId: this.id,
      state: this.#state(behind),
      view,
      older: this.history.older,
      history: this.history.stateFor(view),
      behind,
      outgoing: this.#context.outbox.outgoingOf(this.id),
      error: this.#error,
    });
  }

  #state(behind: number): SessionSnapshot["state"] {
    if (this.#phase === "gone" || this.#phase === "failed") return this.#phase;
    if (!this.#isWanted) return "waiting";
    const { state } = this.#context.line;
    if (state !== "online" && !(state === "connecting" && this.view === null)) return "offline";
    if (this.#phase !== "attached") return "attaching";
    return behind > 0 ? "catching-up" : "live";
  }
}
