import type { Limits } from "@landline/protocol";
import type { Logs } from "../log/log.ts";
import { planRetention, type RetentionPolicy } from "../log/retention.ts";
import type { Logger } from "../telemetry/logger.ts";

export interface RetentionScheduleOptions {
  readonly logs: Pick<Logs, "sizes">;
  readonly sessions: {
    /** The sessions that have work under way. */
    inUse(): Promise<ReadonlySet<string>>;
    delete(sessionId: string, by: string, isInAgentToo: boolean): Promise<void>;
  };
  readonly logger: Pick<Logger, "info" | "error">;
  readonly limits: Pick<Limits, "retentionCheckMs">;
  readonly policy: RetentionPolicy;
}

/** Deletes sessions according to the retention policy: at the start, and from time to time. */
export class RetentionSchedule implements Disposable {
  readonly #options: RetentionScheduleOptions;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(options: RetentionScheduleOptions) {
    this.#options = options;
  }

  start(): void {
    const { maxAgeMs, maxBytes } = this.#options.policy;
    if (maxAgeMs !== undefined || maxBytes !== undefined) void this.#run();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const { limits, logger } = this.#options;
    await this.#delete().catch((error: unknown) => {
      if (!this.#isOver) logger.error("Retention failed.", { error });
    });
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.#run(), limits.retentionCheckMs).unref();
  }

  async #delete(): Promise<void> {
    const { logs, sessions, logger, policy } = this.#options;
    const inUse = await sessions.inUse();
    const removals = planRetention(await logs.sizes(), policy, Date.now(), (id) => inUse.has(id));
    for (const { sessionId, reason } of removals) {
      // Somebody may have continued it while others were deleted.
      if (this.#isOver || (await sessions.inUse()).has(sessionId)) continue;
      logger.info("Deleting a session because of the retention policy.", { sessionId, reason });
      await sessions.delete(sessionId, "retention", false).catch((error: unknown) => {
        logger.error("A session could not be deleted by retention.", { sessionId, error });
      });
    }
  }
}
