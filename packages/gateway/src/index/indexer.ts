import { setImmediate } from "node:timers/promises";
import { limitsOf, type LandlineError, type Limits } from "@landline/protocol";
import type { Logs, ReadableLog } from "../log/log.ts";
import type { Derived } from "./derived.ts";
import { asError, Follower } from "./follower.ts";
import type { PendingMeter } from "./pending-lines.ts";
import { isDeleted, leftOut } from "./problem.ts";
import { refold } from "./refold.ts";
import { Retry } from "./retry.ts";
import { SessionIndex, type ReadRun } from "./session-index.ts";
import type { Progress } from "./session-table.ts";
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

/** What all folds may hold together, and what one that was just trimmed counts for. */
const foldsBytes = 64 * 1_048_576;
const foldBytes = 262_144;

/**
 * Keeps the database up with the logs, by one fold of each session.
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
  /** Those whose folds are held, the one that worked last at the end. */
  readonly #folds = new Set<Follower>();
  readonly #held: PendingMeter = { bytes: 0 };
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
    const followers = [...this.#followers.values()];
    await this.#until(followers, false);
    for (const follower of followers) if (!this.#closed) await this.#finishMessages(follower);
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
      await this.#finishMessages(follower);
      if (!follower.wanted) follower.end();
    } catch (error) {
      this.#report(sessionId, error);
    }
  }

  /** It was thrown away because views have changed since, or it was damaged. */
  async #remakeSnapshot({ log, sessionId, done }: Follower): Promise<void> {
    const { snapshot } = await refold(log, null, done, this.#limits);
    if (snapshot) await this.#retry.untilDone(() => this.#derived.putSnapshot(sessionId, snapshot));
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
    this.#folds.delete(follower);
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
    const { lines } = follower;
    const batch = lines.peek(this.#limits.deriveBatchEvents, this.#limits.readBytes);
    const last = batch.events.at(-1);
    if (!last) return;
    const index = await this.#indexOf(follower);
    const isBehind = follower.log.head - last.seq >= this.#limits.snapshotEvents;
    const run = await index?.read(batch.events, isBehind);
    if (!run || !(await this.#write(follower, run))) return;
    follower.indexBytes = run.rows.snapshot === null ? follower.indexBytes + batch.bytes : 0;
    lines.drop(batch);
    follower.advance(last.seq);
    this.#forgetFolds(follower);
  }

  /** Makes messages that are not finished findable as far as they are written. */
  async #finishMessages(follower: Follower): Promise<void> {
    if (follower.state !== "following") return;
    const isUnfinished = this.#derived.unfinished(follower.sessionId).length > 0;
    const index = isUnfinished ? await this.#indexOf(follower) : null;
    const run = await index?.readUnfinished();
    if (run) await this.#write(follower, run);
  }

  /** False where it was not written: nobody wants it any more, or the session has to begin again. */
  async #write(follower: Follower, { rows, commit }: ReadRun): Promise<boolean> {
    const { sessionId } = follower;
    const isWritten = await this.#retry.untilDone(() => {
      if (follower.state !== "following") return false;
      if (this.#derived.applied(sessionId) !== rows.after) {
        // The session was erased or the database emptied under us: from its start, then.
        follower.restart();
        return false;
      }
      this.#derived.apply(sessionId, rows);
      commit();
      return true;
    });
    return isWritten === true;
  }

  /** The fold of the session up to what is done, made again from the latest snapshot where it was forgotten. */
  async #indexOf(follower: Follower): Promise<SessionIndex | null> {
    if (follower.index) return follower.index;
    const { sessionId, log, done } = follower;
    const kept = await this.#retry.untilDone(() => ({
      snapshot: this.#derived.snapshotAt(sessionId),
      unfinished: this.#derived.unfinished(sessionId),
    }));
    if (!kept) return null;
    const { folding } = await refold(log, kept.snapshot, done, this.#limits);
    if (follower.state !== "following" || follower.done !== done) return null;
    follower.index ??= new SessionIndex(
      {
        log,
        limits: this.#limits,
        record: (key) => this.#derived.callRecord(sessionId, key),
      },
      folding,
      kept.unfinished,
    );
    return follower.index;
  }

  /** At most so much is held of folds that have nothing to do: the one that worked last is held in any case. */
  #forgetFolds(latest: Follower): void {
    this.#folds.delete(latest);
    this.#folds.add(latest);
    let held = 0;
    for (const follower of [...this.#folds].toReversed()) {
      held += foldBytes + follower.indexBytes;
      if (held <= foldsBytes || follower === latest) continue;
      follower.forget();
      this.#folds.delete(follower);
    }
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
    if (follower.state === "new") follower.begin(applied);
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
