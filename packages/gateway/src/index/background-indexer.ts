import { join } from "node:path";
import type { LandlineError, Limits } from "@landline/protocol";
import { emptied } from "../log/disk-error.ts";
import type { Logs, SessionLog, Tail } from "../log/log.ts";
import type { IndexDatabase } from "./index-database.ts";
import { IndexThread } from "./index-thread.ts";
import { isDeleted, notIndexedError } from "./database-error.ts";
import type { Progress } from "./session-table.ts";

export interface BackgroundIndexerOptions {
  /** Used only for reading here. */
  readonly indexDatabase: IndexDatabase;
  readonly logs: Logs;
  /** Where the logs are. */
  readonly folder: string;
  readonly limits: Limits;
  /** Called in the same cases as `IndexerOptions.onProblem`, and when the thread fails. */
  readonly onProblem: (problem: LandlineError) => void;
}

/**
 * Keeps the database up to date in a worker thread, which runs the `Indexer`. An append costs one map entry. The thread
 * is notified after `deriveDelayMs` without appends, at the latest after `deriveDelayMsMax`, and at once when a caller
 * waits. Nothing is buffered here, because the thread reads the logs itself.
 */
export class BackgroundIndexer implements AsyncDisposable {
  readonly #options: BackgroundIndexerOptions;
  readonly #thread: IndexThread;
  readonly #followed = new Map<string, { readonly log: SessionLog; readonly tail: Tail }>();
  /** Heads that were not yet sent to the thread. */
  readonly #grown = new Map<string, number>();
  #news = 0;
  #isStopping = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: BackgroundIndexerOptions) {
    const { folder, indexDatabase, limits, onProblem } = options;
    this.#options = options;
    this.#thread = new IndexThread({
      logs: folder,
      database: indexDatabase.path,
      limits,
      onProblem,
    });
  }

  /**
   * Catches up with every log and erases sessions without a log. It waits while the database fails, so nothing else
   * should wait for it.
   */
  async start(): Promise<void> {
    // Read in this order, so that a session created in between does not look deleted.
    const known =
      this.#read((indexDatabase) => indexDatabase.progress()) ?? new Map<string, Progress>();
    const sessions = await this.#options.logs.list();
    const logged = new Set(sessions);
    for (const sessionId of known.keys()) if (!logged.has(sessionId)) await this.delete(sessionId);
    const heads: [string, number][] = [];
    for (const sessionId of sessions) {
      if (this.#isStopping) return;
      const head = await this.#headOf(sessionId);
      if (head === 0 && (known.get(sessionId)?.applied ?? 0) > 0) {
        // Without this report, the session would disappear silently, like a session without events.
        this.#options.onProblem(
          notIndexedError(sessionId, emptied(join(this.#options.folder, sessionId))),
        );
        continue;
      }
      if (head !== null && !this.#isDone(known.get(sessionId), head)) heads.push([sessionId, head]);
    }
    if (heads.length > 0) await this.#thread.ask({ type: "catch-up", heads });
  }

  /** Stops catching up with further logs, because the gateway is about to close. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Follows the log until it ends. Idempotent. */
  follow(log: SessionLog): void {
    const { sessionId } = log;
    if (this.#followed.get(sessionId)?.log === log) return;
    const tail = log.tail(log.visible, {
      write: ({ last }) => this.#note(sessionId, last),
      end: () => {
        if (this.#followed.get(sessionId)?.log === log) this.#followed.delete(sessionId);
      },
    });
    this.#followed.set(sessionId, { log, tail });
    const applied = this.#read((indexDatabase) => indexDatabase.applied(sessionId)) ?? 0;
    if (log.visible > applied) this.#note(sessionId, log.visible);
  }

  /** Erases the session. Resolves when that is done; it waits while the database fails. */
  async delete(sessionId: string): Promise<void> {
    this.#followed.get(sessionId)?.tail[Symbol.dispose]();
    this.#followed.delete(sessionId);
    this.#grown.delete(sessionId);
    await this.#thread.ask({ type: "delete", sessionId });
  }

  /**
   * Resolves when all current events of the followed logs are in the database and searchable, including unfinished
   * messages. Rejects when the database fails.
   */
  async flush(): Promise<void> {
    // With durability `disk`, the thread may not yet see the end of the log.
    const hidden = [...this.#followed.values()].filter(({ log }) => log.visible < log.head);
    await Promise.all(hidden.map(({ log }) => log.whenDurable(log.head)));
    this.#tell();
    if (this.#thread.isStarted) await this.#thread.ask({ type: "flush" });
  }

  /** Stops applying events; the next start catches up. Idempotent. */
  async close(): Promise<void> {
    this.stop();
    if (this.#timer) clearTimeout(this.#timer);
    for (const { tail } of this.#followed.values()) tail[Symbol.dispose]();
    this.#followed.clear();
    this.#grown.clear();
    await this.#thread.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #note(sessionId: string, head: number): true {
    this.#grown.set(sessionId, head);
    this.#news++;
    if (this.#timer === null) this.#waitForQuiet(performance.now());
    return true;
  }

  /** Streaming to clients has priority, and larger batches are cheaper. */
  #waitForQuiet(since: number): void {
    const news = this.#news;
    const { deriveDelayMs, deriveDelayMsMax } = this.#options.limits;
    this.#timer = setTimeout(() => {
      const isLate = performance.now() - since >= deriveDelayMsMax;
      if (isLate || this.#news === news) this.#tell();
      else this.#waitForQuiet(since);
    }, deriveDelayMs).unref();
  }

  #tell(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#grown.size > 0) this.#thread.tell([...this.#grown]);
    this.#grown.clear();
  }

  /** Whether the index of a session with `head` events is complete. */
  #isDone(known: Progress | undefined, head: number): boolean {
    const isWithoutSnapshot = known?.snapshot === 0 && head >= this.#options.limits.snapshotEvents;
    const isUnfinished = known?.isUnfinished === true;
    return (known?.applied ?? 0) === head && !isWithoutSnapshot && !isUnfinished;
  }

  /** Returns null when the database fails: then the thread checks instead, with retries. */
  #read<Answer>(query: (indexDatabase: IndexDatabase) => Answer): Answer | null {
    try {
      return query(this.#options.indexDatabase);
    } catch {
      return null;
    }
  }

  async #headOf(sessionId: string): Promise<number | null> {
    try {
      return (await this.#options.logs.open(sessionId)).visible;
    } catch (error) {
      if (!isDeleted(error) && !this.#isStopping)
        this.#options.onProblem(notIndexedError(sessionId, error));
      return null;
    }
  }
}
