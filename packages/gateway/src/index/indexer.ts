import { setImmediate } from "node:timers/promises";
import { limitsOf, type LandlineError, type Limits } from "@landline/protocol";
import type { Logs, ReadableLog } from "../log/log.ts";
import type { IndexDatabase } from "./index-database.ts";
import { asError, Follower } from "./follower.ts";
import type { Batch, PendingMeter } from "./pending-lines.ts";
import { isDeleted, notIndexedError } from "./database-error.ts";
import { refold } from "./refold.ts";
import { Retry } from "./retry.ts";
import { SessionIndex, type ReadRun } from "./session-index.ts";
import type { Progress } from "./session-table.ts";
import { IndexWaiters } from "./index-waiters.ts";

export interface IndexerOptions {
  readonly indexDatabase: IndexDatabase;
  readonly logs: ReadableLogs;
  readonly limits?: Limits;
  /**
   * Called once when the database starts to fail, and once for each session that cannot be indexed (`data.sessionId`).
   * The log keeps all events.
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

/** The memory limit of all folds, and the assumed size of a fold that was just trimmed. */
const foldsBytes = 64 * 1_048_576;
const foldBytes = 262_144;

/** How much further than usual large snapshots may be apart. */
const snapshotSpacing = 5;

/**
 * Keeps the database up to date with the logs, with one fold per session. An append only adds a chunk to a list. Events
 * are applied once and in order, in bounded transactions that yield in between. At most `deriveHeldBytes` are buffered;
 * further events are read from the logs later. A failing database is reported once and retried with growing delays; a
 * session that cannot be indexed is reported and omitted.
 */
export class Indexer implements AsyncDisposable {
  readonly #indexDatabase: IndexDatabase;
  readonly #logs: ReadableLogs;
  readonly #limits: Limits;
  readonly #onProblem: (problem: LandlineError) => void;
  readonly #retry: Retry;
  readonly #followers = new Map<string, Follower>();
  /** Followers with work, longest waiting first. */
  readonly #ready = new Set<Follower>();
  readonly #waiting = new IndexWaiters();
  /** Followers with a fold in memory, most recently used last. */
  readonly #folds = new Set<Follower>();
  readonly #held: PendingMeter = { bytes: 0 };
  #working: Promise<void> | null = null;
  #closed = false;

  constructor(options: IndexerOptions) {
    this.#indexDatabase = options.indexDatabase;
    this.#logs = options.logs;
    this.#limits = options.limits ?? limitsOf("default");
    this.#onProblem = options.onProblem ?? (() => {});
    this.#retry = new Retry({
      limits: this.#limits,
      onProblem: this.#onProblem,
      onFailure: (problem) => this.#waiting.fail(problem),
    });
  }

  /** The current problem of the database. */
  get problem(): LandlineError | null {
    return this.#retry.problem;
  }

  /**
   * Catches up with every log and erases sessions without a log. It waits while the database fails, so nothing else
   * should wait for it.
   */
  async start(onProgress?: (progress: IndexerProgress) => void): Promise<void> {
    // Read in this order, so that a session created in between does not look deleted.
    const known = await this.#retry.untilDone(() => this.#indexDatabase.progress());
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
    const known = await this.#retry.untilDone(() => this.#indexDatabase.progress());
    for (const [index, sessionId] of sessions.entries()) {
      if (this.#closed) return;
      await this.#catchUp(sessionId, known?.get(sessionId));
      onProgress?.({ done: index + 1, total: sessions.length, sessionId });
    }
  }

  /** Follows the log from the last indexed event until it ends. Idempotent. */
  follow(log: ReadableLog): void {
    this.#followerOf(log).wanted = true;
  }

  /** Stops following once the current events of the log are applied. */
  async unfollow(sessionId: string): Promise<void> {
    const follower = this.#followers.get(sessionId);
    if (!follower) return;
    follower.wanted = false;
    await this.#until([follower], true);
    if (!follower.wanted) follower.end();
  }

  /** Erases the session. Resolves when that is done; it waits while the database fails. */
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

  /** Stops applying events; the next start catches up. Idempotent. */
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

  /** Recreates a snapshot that was deleted because its format changed or it was damaged. */
  async #remakeSnapshot({ log, sessionId, done }: Follower): Promise<void> {
    const { snapshot } = await refold(log, null, done, this.#limits);
    if (snapshot)
      await this.#retry.untilDone(() => this.#indexDatabase.putSnapshot(sessionId, snapshot));
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
    const isFull = this.#held.bytes >= this.#limits.deriveHeldBytes;
    const { lines, log } = follower;
    // Otherwise more is being read: large transactions are cheaper.
    if (isFull || lines.last >= log.head || lines.bytes >= this.#limits.deriveBatchBytes) {
      this.#ready.add(follower);
      this.#work();
    }
    return !isFull;
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
        // Each round yields to the event loop first.
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

  /** Applies one transaction for one session. */
  async #step(follower: Follower): Promise<void> {
    if (follower.state === "new") return this.#begin(follower);
    const { lines } = follower;
    const batch = lines.peek({
      events: this.#limits.deriveBatchEvents,
      bytes: this.#limits.deriveBatchBytes,
      every: this.#limits.snapshotEvents,
    });
    const last = batch.events.at(-1);
    if (!last) return;
    const index = await this.#indexOf(follower);
    const run = await index?.read(batch.events, await this.#storesSnapshot(follower, batch));
    if (!run || !(await this.#write(follower, run))) return;
    const isStored = run.rows.snapshot !== null;
    follower.indexBytes = isStored ? 0 : follower.indexBytes + batch.bytes;
    follower.unsavedBytes = isStored ? 0 : follower.unsavedBytes + batch.bytes;
    lines.drop(batch);
    follower.advance(last.seq);
    this.#forgetFolds(follower);
  }

  /**
   * Whether a snapshot of the batch is worth its cost. Not if a later one would replace it at once; and a large one only
   * when the log grew by as much, or by `snapshotSpacing` times the usual number of events.
   */
  async #storesSnapshot({ sessionId, log, unsavedBytes }: Follower, batch: Batch) {
    const { snapshotEvents } = this.#limits;
    const last = batch.events.at(-1)?.seq ?? 0;
    if (log.head - last >= snapshotEvents) return false;
    const stored = await this.#retry.untilDone(() => this.#indexDatabase.snapshotSize(sessionId));
    if (!stored || stored.seq === 0) return true;
    const isGrown = unsavedBytes + batch.bytes >= stored.bytes;
    return isGrown || last - stored.seq >= snapshotEvents * snapshotSpacing;
  }

  /** Makes unfinished messages searchable as far as they are written. */
  async #finishMessages(follower: Follower): Promise<void> {
    if (follower.state !== "following") return;
    const isUnfinished = this.#indexDatabase.unfinished(follower.sessionId).length > 0;
    const index = isUnfinished ? await this.#indexOf(follower) : null;
    const run = await index?.readUnfinished();
    if (run) await this.#write(follower, run);
  }

  /** Returns false when nothing was written: the follower ended, or the session must begin again. */
  async #write(follower: Follower, { rows, commit }: ReadRun): Promise<boolean> {
    const { sessionId } = follower;
    const isWritten = await this.#retry.untilDone(() => {
      if (follower.state !== "following") return false;
      if (this.#indexDatabase.applied(sessionId) !== rows.after) {
        // The session was erased or the database was cleared meanwhile: start again.
        follower.restart();
        return false;
      }
      this.#indexDatabase.apply(sessionId, rows);
      commit();
      return true;
    });
    return isWritten === true;
  }

  /** The fold of the session up to `done`, restored from the latest snapshot if it was released. */
  async #indexOf(follower: Follower): Promise<SessionIndex | null> {
    if (follower.index) return follower.index;
    const { sessionId, log, done } = follower;
    const kept = await this.#retry.untilDone(() => ({
      snapshot: this.#indexDatabase.snapshotAt(sessionId),
      unfinished: this.#indexDatabase.unfinished(sessionId),
    }));
    if (!kept) return null;
    const { foldState } = await refold(log, kept.snapshot, done, this.#limits);
    if (follower.state !== "following" || follower.done !== done) return null;
    follower.index ??= new SessionIndex(
      {
        log,
        limits: this.#limits,
        record: (key) => this.#indexDatabase.callRecord(sessionId, key),
      },
      foldState,
      kept.unfinished,
    );
    return follower.index;
  }

  /** Limits the memory of idle folds. The latest fold always stays. */
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
    let applied = await this.#retry.untilDone(() => this.#indexDatabase.applied(sessionId));
    if (applied === undefined) return;
    if (applied > log.head) {
      // The log was restored from an older copy: erase the later events.
      await this.#erase(sessionId);
      applied = 0;
    }
    if (follower.state === "new") follower.begin(applied);
  }

  async #erase(sessionId: string): Promise<void> {
    for (;;) {
      const isErased = await this.#retry.untilDone(() =>
        this.#indexDatabase.deleteSession(sessionId),
      );
      if (isErased !== false) return;
      await setImmediate();
    }
  }

  #report(sessionId: string, error: unknown): void {
    if (!isDeleted(error)) this.#onProblem(notIndexedError(sessionId, error));
  }
}
