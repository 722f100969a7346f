import { LandlineError } from "@landline/protocol";
import type { AgentHost } from "../agents/agent.ts";
import type { IndexDatabase } from "../index/index-database.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { NewLogs } from "./new-logs.ts";
import type { LiveSession } from "./session.ts";

export interface RecoveryOptions {
  readonly agents: Pick<AgentHost, "interrupted">;
  readonly indexDatabase: Pick<IndexDatabase, "listSessions" | "progress">;
  readonly newLogs: NewLogs;
  readonly logger: Logger;
  /** Whether queued prompts are sent. */
  readonly resumeQueue: boolean;
  readonly get: (sessionId: string) => Promise<LiveSession>;
  /** Whether the gateway is shutting down. */
  readonly isClosing: () => boolean;
}

/**
 * Records the missing end events of asks, turns and agents of an earlier gateway, and sends queued prompts if the
 * config says so. Call after the index has caught up with the logs.
 */
export async function recoverSessions(options: RecoveryOptions): Promise<void> {
  const { indexDatabase, newLogs, logger, isClosing } = options;
  for await (const sessionId of interrupted(options))
    if (isClosing() || !(await recoverOne(sessionId, options))) return;
  if (isClosing()) return;
  const known = indexDatabase.progress();
  await newLogs.eraseEmpty(
    (sessionId) => isClosing() || known.has(sessionId),
    (sessionId) => logger.info("A session without any event was removed.", { sessionId }),
  );
}

/** Sessions whose agents were running, then those that are not idle in the index, or all if queues are resumed. */
async function* interrupted({ agents, indexDatabase, resumeQueue, isClosing }: RecoveryOptions) {
  yield* await agents.interrupted();
  for (let cursor: string | null | undefined; cursor !== null && !isClosing();) {
    const page = indexDatabase.listSessions(cursor === undefined ? {} : { cursor });
    for (const { sessionId, state } of page.sessions)
      if (state !== "idle" || resumeQueue) yield sessionId;
    cursor = page.nextCursor;
  }
}

/** Returns false on a full disk, where all others would fail too. They recover when they are used. */
async function recoverOne(
  sessionId: string,
  { get, logger }: Pick<RecoveryOptions, "get" | "logger">,
): Promise<boolean> {
  const session = await get(sessionId).catch((error: unknown) => {
    const isGone = error instanceof LandlineError && error.code === "session-not-found";
    if (!isGone) logger.error("The session could not be opened.", { sessionId, error });
  });
  return session?.recover() ?? true;
}
