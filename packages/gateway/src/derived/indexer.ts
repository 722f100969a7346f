import { setImmediate } from "node:timers/promises";
import { limitsOf, type LandlineError, type Limits } from "@landline/protocol";
import type { Logs, ReadableLog } from "../log/log.ts";
import type { Derived } from "./derived.ts";
import { asError, Follower } from "./follower.ts";
import { hasDue } from "./folds.ts";
import type { HeldMeter } from "./held-lines.ts";
import { withLongTexts } from "./long-texts.ts";
import { isDeleted, leftOut } from "./problem.ts";
import { refold } from "./refold.ts";
import { Retry } from "./retry.ts";
import type { AnyEvent } from "./session-facts.ts";
import type { Progress } from "./session-table.ts";
import type { Snapshot } from "./snapshot-table.ts";
import { Waiting } from "./waiting.ts";

export interface IndexerOptions {
  readonly derived: Derived;
  readonly logs: ReadableLogs;
  readonly limits?: Limits;
  /**
   * Called once when the database begins to fail, and once for a session that can't be derived
   * (`data.sessionId` names it). Nothing is lost: the log has it all.
   */
  readonly onProblem?: (problem: LandlineError) => void;
}

export interface ReadableLogs extends Pick<Logs, "list"> {
  open(sessionId: string): Promise<ReadableLog>;
}

export interface IndexerProgress {
  readonly done: number;
  readonly total: number;
  readonly sessionId: string;
}

/**
 * Keeps the database up with the logs.
 *
 * Promises: never in the way of an append, which at most puts a chunk into a list. Every event is applied
 * once and in order, in transactions of bounded size with the loop free in between. At most
 * `deriveHeldBytes` are held; beyond that the logs are read later. A database that fails is reported once
 * and tried again with growing waits, for as long as it takes; a session that can't be derived is reported
 * and left out. Nothing is dropped: what is not applied is in the log.
 */
export class Indexer implements AsyncDisposable {
  readonly #derived: Derived;
  readonly #logs: ReadableLogs;
  readonly #limits: Limits;
  readonly #onProblem: (problem: LandlineError) => void;
  readonly #retry: Retry;
  readonly #followers = new Map<string, Follower>();
  /** Those that have something to do, the one that has waited longest first. */
  readonly #ready = new Set<Follower>();
  readonly #waiting = new Waiting();
  readonly #held: HeldMeter = { bytes: 0 };
  #working: Promise<void> | null = null;
  #closed = false;

  constructor(options: IndexerOptions) {
    this.#derived = options.derived;
    this.#logs = options.logs;
    this.#limits = options.limits ?? limitsOf("default");
    this.#onProblem = options.onProblem ?? (() => {});
    this.#retry = new Retry({
      limits: this.#limits,
      onProblem: this.#onProblem,
      onFailure: (problem) => this.#waiting.fail(problem),
    });
  }

  /** What is wrong with the database now. */
  get problem(): LandlineError | null {
    return this.#retry.problem;
  }

  /**
   * Catches up with every log, and erases what has no log any more. Resolves when that is done: it waits
   * while the database fails, so nothing else should wait for it.
   */
  async start(onProgress?: (progress: IndexerProgress) => void): Promise<void> {
    // In this order: a session that is made in between must not be taken for one that is gone.
    const known = await this.#retry.untilDone(() => this.#derived.progress());
    const sessions = await this.#logs.list();
    const logged = new Set(sessions);
    for (const sessionId of known?.keys() ?? [])
      if (!logged.has(sessionId)) await this.delete(sessionId);
    await this.catchUp(sessions, onProgress);
  }

  /** Catches up with these logs. Resolves when that is done, as `start` does. */
  async catchUp(
    sessions: readonly string[],
    onProgress?: (progress: IndexerProgress) => void,
  ): Promise<void> {
    const known = await this.#retry.untilDone(() => this.#derived.progress());
    for (const [index, sessionId] of sessions.entries()) {
      if (this.#closed) return;
      await this.#catchUp(sessionId, known?.get(sessionId));
      onProgress?.({ done: index + 1, total: sessions.length, sessionId });
    }
    await this.#retry.untilDone(() => this.#derived.indexDrafts());
  }

  /** Follows the log from where the database is, until it ends. Idempotent. */
  follow(log: ReadableLog): void {
    this.#followerOf(log).wanted = true;
  }

  /** Follows it no longer, once what its log has now is applied. */
  async unfollow(sessionId: string): Promise<void> {
    const follower = this.#followers.get(sessionId);
    if (!follower) return;
    follower.wanted = false;
    await this.#until([follower], true);
    if (!follower.wanted) follower.end();
  }

  /** Erases what is kept of the session. Resolves when that is done: it waits while the database fails. */
  async delete(sessionId: string): Promise<void> {
    this.#followers.get(sessionId)?.end();
    await this.#erase(sessionId);
  }

  /**
   * Resolves when everything that the followed logs have now is in the database and can be searched,
   * unfinished messages too; rejects when the database fails.
   */
  async flush(): Promise<void> {
    this.#retry.hurry();
    await this.#until([...this.#followers.values()], false);
    if (!this.#closed) this.#derived.indexDrafts();
  }

  /** Applies nothing more: what is left is caught up with at the next start. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry.close();
    for (const follower of this.#followers.values()) follower.end();
    await this.#working;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #catchUp(sessionId: string, known: Progress | undefined): Promise<void> {
    try {
      const follower = this.#followerOf(await this.#logs.open(sessionId));
      await this.#until([follower], true);
      if (known && known.snapshot === 0 && known.applied >= this.#limits.snapshotEvents)
        await this.#remakeSnapshot(follower);
      if (!follower.wanted) follower.end();
    } catch (error) {
      this.#report(sessionId, error);
    }
  }

  /** It was thrown away because views have changed since, or it was damaged. */
  async #remakeSnapshot({ log, sessionId, done }: Follower): Promise<void> {
    const snapshot = await refold(log, null, done, this.#limits);
    await this.#retry.untilDone(() => this.#derived.apply(sessionId, [], snapshot));
  }

  #until(followers: readonly Follower[], patient: boolean): Promise<void> {
    const reached = this.#waiting.until(followers, patient);
    this.#work();
    return reached;
  }

  #followerOf(log: ReadableLog): Follower {
    const known = this.#followers.get(log.sessionId);
    if (known?.log === log) return known;
    known?.end();
    const follower = new Follower(log, this.#held, {
      onNews: (from) => this.#onNews(from),
      onEnd: (from, error) => this.#onEnd(from, error),
    });
    if (this.#closed) return follower;
    this.#followers.set(log.sessionId, follower);
    this.#ready.add(follower);
    this.#work();
    return follower;
  }

  #onNews(follower: Follower): boolean {
    this.#ready.add(follower);
    this.#work();
    return this.#held.bytes < this.#limits.deriveHeldBytes;
  }

  #onEnd(follower: Follower, error?: Error): void {
    this.#ready.delete(follower);
    if (this.#followers.get(follower.sessionId) === follower)
      this.#followers.delete(follower.sessionId);
    if (error) this.#report(follower.sessionId, error);
    this.#waiting.settle();
  }

  #work(): void {
    this.#working ??= this.#workThrough();
  }

  async #workThrough(): Promise<void> {
    try {
      for (;;) {
        // Whoever else is on this thread first: each round begins with the loop free.
        await setImmediate();
        const [follower] = this.#ready;
        if (!follower || this.#closed) return;
        this.#ready.delete(follower);
        await this.#step(follower).catch((error: unknown) => follower.end(asError(error)));
        if (follower.hasWork) this.#ready.add(follower);
        this.#waiting.settle();
      }
    } finally {
      this.#working = null;
    }
  }

  /** One transaction's worth for one session. */
  async #step(follower: Follower): Promise<void> {
    if (follower.state === "new") return this.#begin(follower);
    const { sessionId, lines } = follower;
    const batch = lines.peek(this.#limits.deriveBatchEvents, this.#limits.readBytes);
    const last = batch.events.at(-1);
    if (!last) return;
    const snapshot = await this.#snapshotIn(follower, batch.events, last.seq);
    const { searchTextLength } = this.#limits;
    const events = await withLongTexts(follower.log, batch.events, searchTextLength);
    await this.#retry.untilDone(() => {
      if (follower.state !== "following") return;
      // The session was erased or the database emptied under us: from its start, then.
      if (this.#derived.applied(sessionId) < follower.done) return follower.restart();
      this.#derived.apply(sessionId, events, snapshot);
      if (snapshot) follower.snapshotSeq = snapshot.seq;
      lines.drop(batch);
      follower.advance(last.seq);
    });
  }

  /**
   * The snapshot that is due in a run of events up to `seq`. No view is kept for it: it is folded on from
   * the one before when it is due, and not while the log is so far ahead that another would take its place.
   */
  async #snapshotIn(
    { sessionId, log, snapshotSeq }: Follower,
    events: readonly AnyEvent[],
    seq: number,
  ): Promise<Snapshot | null> {
    if (!hasDue(events, snapshotSeq, this.#limits)) return null;
    if (log.head - seq >= this.#limits.snapshotEvents) return null;
    const before = await this.#retry.untilDone(() => this.#derived.snapshotAt(sessionId));
    return refold(log, before ?? null, seq, this.#limits);
  }

  async #begin(follower: Follower): Promise<void> {
    const { sessionId, log } = follower;
    let applied = await this.#retry.untilDone(() => this.#derived.applied(sessionId));
    if (applied === undefined) return;
    if (applied > log.head) {
      // The log was restored from an older copy: what came after it did not happen.
      await this.#erase(sessionId);
      applied = 0;
    }
    const snapshotSeq = await this.#retry.untilDone(() => this.#derived.snapshotSeq(sessionId));
    if (follower.state === "new") follower.begin(applied, snapshotSeq ?? 0);
  }

  async #erase(sessionId: string): Promise<void> {
    for (;;) {
      const isErased = await this.#retry.untilDone(() => this.#derived.deleteSession(sessionId));
      if (isErased !== false) return;
      await setImmediate();
    }
  }

  #report(sessionId: string, error: unknown): void {
    if (!isDeleted(error)) this.#onProblem(leftOut(sessionId, error));
  }
}
