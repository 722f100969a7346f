import {
  contentBlocks,
  isTransient,
  LandlineError,
  sessionGoneCodes,
  type ErrorCode,
  type PromptContent,
} from "@landline/protocol";
import { BackOff } from "./back-off.ts";
import { closed, type Commands } from "./commands.ts";
import type { OutgoingPrompt } from "./contract.ts";
import type { Connection } from "./connection.ts";
import { Listeners } from "./listeners.ts";
import { lengthOf, newEntry, storedEntryOf, unsettled, type OutboxEntry } from "./outbox-entry.ts";
import type { StoredOutbox } from "./stored-outbox.ts";
import type { Timing } from "./timing.ts";

/**
 * Keeps prompts until they are in the log of the gateway, even across a reload. The prompts of a session are sent one
 * at a time, in order, and again after a disconnect; their ids make a repeat harmless. `outboxPrompts` and
 * `outboxLength` bound it; further prompts are refused.
 */
export class Outbox {
  /** Called with the id of a session whose outgoing prompts changed. */
  readonly onChange = new Listeners<[sessionId: string]>();
  readonly #line: Connection;
  readonly #commands: Commands;
  readonly #stored: StoredOutbox;
  readonly #timing: Timing;
  readonly #isFollowed: (sessionId: string) => boolean;
  readonly #entries = new Map<string, Map<string, OutboxEntry>>();
  readonly #outgoing = new Map<string, readonly OutgoingPrompt[]>();
  readonly #sending = new Set<string>();
  readonly #backOff: BackOff;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(parts: {
    line: Connection;
    commands: Commands;
    stored: StoredOutbox;
    timing: Timing;
    /** Whether the session is attached. */
    isFollowed: (sessionId: string) => boolean;
  }) {
    this.#line = parts.line;
    this.#commands = parts.commands;
    this.#stored = parts.stored;
    this.#timing = parts.timing;
    this.#isFollowed = parts.isFollowed;
    this.#backOff = new BackOff(parts.timing.retryMs, parts.timing.retryMsMost);
    this.#load();
    this.#line.onOnline.add(() => this.#sendAll());
  }

  outgoingOf(sessionId: string): readonly OutgoingPrompt[] {
    const known = this.#outgoing.get(sessionId);
    if (known) return known;
    const entries = [...(this.#entries.get(sessionId)?.values() ?? [])];
    if (entries.length === 0) return nothing;
    const outgoing = entries.map(({ promptId, content, at, state, error }) => ({
      promptId,
      content,
      at,
      state,
      error,
    }));
    this.#outgoing.set(sessionId, outgoing);
    return outgoing;
  }

  /** Resolves when the gateway has acknowledged the prompt. */
  add(sessionId: string, promptId: string, content: PromptContent): Promise<void> {
    if (this.#line.state === "closed") return Promise.reject(closed());
    const known = this.#find(sessionId, promptId);
    const blocks = contentBlocks(content);
    if (known) {
      const problem = known.state === "refused" ? this.#replace(known, blocks) : null;
      return problem ? Promise.reject(problem) : known.settled.promise;
    }
    const length = lengthOf(blocks);
    const refusal = this.#refusal(length);
    if (refusal) return Promise.reject(refusal);
    const entry = newEntry({ sessionId, promptId, at: Date.now(), wasSent: false }, blocks, length);
    entry.isStored = this.#stored.put(storedEntryOf(entry), blocks);
    this.#put(entry);
    this.#changed(sessionId);
    this.#send(sessionId);
    return entry.settled.promise;
  }

  /** Returns false when the prompt is not in the outbox. */
  async change(sessionId: string, promptId: string, content: PromptContent): Promise<boolean> {
    const entry = await this.#unsent(sessionId, promptId);
    if (!entry) return false;
    const problem = this.#replace(entry, contentBlocks(content));
    if (problem) throw problem;
    return true;
  }

  /** Moves a prompt before another in the outbox, or to the end. Returns false when the gateway must do it. */
  async move(sessionId: string, promptId: string, before: string | null): Promise<boolean> {
    const entry = await this.#unsent(sessionId, promptId);
    const entries = this.#entries.get(sessionId);
    if (!entry || !entries) return false;
    if (before === promptId) return true;
    if (before !== null && entries.get(before)?.wasSent !== false) {
      // The other prompt is already in the gateway's queue, so this one must be sent first.
      await entry.settled.promise;
      return false;
    }
    const ids = [...entries.keys()].filter((id) => id !== promptId);
    ids.splice(before === null ? ids.length : ids.indexOf(before), 0, promptId);
    const moved = ids.map((id) => [id, entries.get(id)] as const);
    entries.clear();
    for (const [id, known] of moved) if (known) entries.set(id, known);
    this.#stored.arrange(sessionId, ids);
    this.#changed(sessionId);
    return true;
  }

  /**
   * Removes the prompt. `here`: the gateway never had it. `there`: it is not in the outbox, so the gateway must
   * withdraw it. `unknown`: it was sent and the reply was lost.
   */
  async withdraw(sessionId: string, promptId: string): Promise<"here" | "there" | "unknown"> {
    const entry = this.#find(sessionId, promptId);
    if (!entry || entry.isAcknowledged) return "there";
    if (entry.isStored) this.#stored.withdraw(storedEntryOf(entry));
    entry.isStored = false;
    const message = "The prompt was withdrawn before it reached the gateway.";
    this.#drop(entry, new LandlineError("request-cancelled", { message }));
    // Over HTTP, the withdrawal could overtake the prompt.
    await entry.answered;
    if (!entry.wasSent) return "here";
    return entry.isAcknowledged ? "there" : "unknown";
  }

  /** The event of the prompt was received. */
  heard(sessionId: string, promptId: string): void {
    const entry = this.#find(sessionId, promptId);
    if (entry) this.#drop(entry, null);
  }

  /** Keeps the stored prompts. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const entries of this.#entries.values()) {
      for (const { settled } of entries.values()) settled.reject(closed());
    }
    this.onChange.clear();
  }

  #load(): void {
    for (const kept of this.#stored.list().slice(0, this.#timing.outboxPrompts)) {
      const content = this.#stored.content(kept);
      // The stored content is damaged and cannot be sent.
      if (!content) {
        this.#stored.remove(kept);
        continue;
      }
      const entry = newEntry(kept, content, lengthOf(content));
      entry.isStored = true;
      this.#put(entry);
    }
  }

  #refusal(length: number, more = 1): LandlineError | null {
    let prompts = more;
    let total = length;
    for (const entries of this.#entries.values()) {
      prompts += entries.size;
      for (const entry of entries.values()) total += entry.length;
    }
    if (prompts > this.#timing.outboxPrompts) {
      return new LandlineError("rate-limited", {
        message: `${this.#timing.outboxPrompts} prompts are already waiting to be sent.`,
        help: "Wait until the gateway can be reached, or withdraw some.",
      });
    }
    if (total <= this.#timing.outboxLength) return null;
    return new LandlineError("message-too-large", {
      message: `Prompts that wait to be sent may have ${this.#timing.outboxLength} characters in all.`,
      help: "Send less at once: smaller or fewer images.",
    });
  }

  #find(sessionId: string, promptId: string): OutboxEntry | undefined {
    return this.#entries.get(sessionId)?.get(promptId);
  }

  /** Waits until the result of a pending attempt is known. */
  async #unsent(sessionId: string, promptId: string): Promise<OutboxEntry | null> {
    const entry = this.#find(sessionId, promptId);
    if (!entry || entry.isAcknowledged) return null;
    if (!entry.wasSent) return entry;
    await entry.settled.promise.catch(() => {});
    const isStillHere = this.#find(sessionId, promptId) === entry;
    return isStillHere && entry.state === "refused" ? entry : null;
  }

  #put(entry: OutboxEntry): void {
    const entries = this.#entries.get(entry.sessionId) ?? new Map<string, OutboxEntry>();
    this.#entries.set(entry.sessionId, entries.set(entry.promptId, entry));
  }

  /** Replaces the content; returns an error if it does not fit. */
  #replace(entry: OutboxEntry, content: OutboxEntry["content"]): LandlineError | null {
    const length = lengthOf(content);
    const refusal = this.#refusal(length - entry.length, 0);
    if (refusal) return refusal;
    if (entry.state === "refused") entry.settled = unsettled();
    Object.assign(entry, { content, length, state: "waiting", error: null });
    if (entry.isStored) entry.isStored = this.#stored.put(storedEntryOf(entry), content);
    this.#changed(entry.sessionId);
    this.#send(entry.sessionId);
    return null;
  }

  #changed(sessionId: string): void {
    this.#outgoing.delete(sessionId);
    this.onChange.tell(sessionId);
  }

  #drop(entry: OutboxEntry, error: LandlineError | null): void {
    const entries = this.#entries.get(entry.sessionId);
    entries?.delete(entry.promptId);
    if (entries?.size === 0) this.#entries.delete(entry.sessionId);
    if (entry.isStored) this.#stored.remove(storedEntryOf(entry));
    if (error) entry.settled.reject(error);
    else entry.settled.resolve();
    this.#changed(entry.sessionId);
  }

  #sendAll(): void {
    this.#backOff.reset();
    for (const sessionId of this.#entries.keys()) this.#send(sessionId);
  }

  /** Sends the next prompt of the session, unless one is pending. */
  #send(sessionId: string): void {
    if (!this.#line.isOnline || this.#sending.has(sessionId)) return;
    const entries = this.#entries.get(sessionId)?.values();
    const entry = entries?.find(({ state }) => state === "waiting");
    if (!entry) return;
    if (!this.#isStillWanted(entry)) {
      this.#drop(entry, new LandlineError("prompt-not-found"));
      this.#send(sessionId);
      return;
    }
    this.#sending.add(sessionId);
    entry.state = "sending";
    if (!entry.wasSent) {
      entry.wasSent = true;
      if (entry.isStored) this.#stored.note(storedEntryOf(entry));
    }
    this.#changed(sessionId);
    const { promptId, content } = entry;
    entry.answered = this.#commands.quick("prompt", { sessionId, promptId, content }).then(
      () => this.#acknowledged(entry),
      (error: LandlineError) => this.#refused(entry, error),
    );
  }

  /**
   * Another tab may have changed or withdrawn the prompt, so the stored state decides. A missing entry was sent by
   * another tab or the storage was cleared; sending it again is harmless.
   */
  #isStillWanted(entry: OutboxEntry): boolean {
    if (!entry.isStored) return true;
    const kept = storedEntryOf(entry);
    const content = this.#stored.content(kept);
    if (content) Object.assign(entry, { content, length: lengthOf(content) });
    return content !== null || !this.#stored.isWithdrawn(kept);
  }

  #acknowledged(entry: OutboxEntry): void {
    this.#sending.delete(entry.sessionId);
    this.#backOff.reset();
    entry.isAcknowledged = true;
    this.#send(entry.sessionId);
    if (this.#find(entry.sessionId, entry.promptId) !== entry) return;
    if (entry.isStored) this.#stored.remove(storedEntryOf(entry));
    entry.isStored = false;
    entry.settled.resolve();
    // Keep the prompt visible until its event arrives.
    const waitMs = this.#isFollowed(entry.sessionId) ? this.#timing.eventMs : 0;
    this.#later(waitMs, () => this.heard(entry.sessionId, entry.promptId));
  }

  #refused(entry: OutboxEntry, error: LandlineError): void {
    this.#sending.delete(entry.sessionId);
    const isPassing = isTransient(error.code, "connection") || accessCodes.has(error.code);
    if (!isPassing) Object.assign(entry, { state: "refused", error, wasSent: false });
    if (this.#find(entry.sessionId, entry.promptId) === entry) {
      if (isPassing) {
        entry.state = "waiting";
        const waitMs = error.retryAfterMs ?? this.#backOff.next();
        this.#changed(entry.sessionId);
        if (this.#line.isOnline) this.#later(waitMs, () => this.#send(entry.sessionId));
        return;
      }
      this.#keepRefused(entry, error);
      entry.settled.reject(error);
      this.#changed(entry.sessionId);
    }
    this.#send(entry.sessionId);
  }

  /** A refused prompt of a deleted session is shown but not stored, so that it uses no space. */
  #keepRefused(entry: OutboxEntry, { code }: LandlineError): void {
    if (!entry.isStored) return;
    entry.isStored = !sessionGoneCodes.includes(code);
    if (entry.isStored) this.#stored.note(storedEntryOf(entry));
    else this.#stored.remove(storedEntryOf(entry));
  }

  #later(waitMs: number, task: () => void): void {
    if (this.#line.state === "closed") return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, waitMs);
    this.#timers.add(timer);
  }
}

const nothing: readonly OutgoingPrompt[] = [];

/** Errors that do not concern the prompt itself: it is sent again with the next connection. */
const accessCodes: ReadonlySet<ErrorCode> = new Set(["request-cancelled", "unauthorized"]);
