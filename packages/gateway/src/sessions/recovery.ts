import { LandlineError } from "@landline/protocol";
import type { AgentHost } from "../agents/agent.ts";
import type { Derived } from "../index/derived.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { NewLogs } from "./new-logs.ts";
import type { LiveSession } from "./session.ts";

export interface RecoveryOptions {
  readonly agents: Pick<AgentHost, "interrupted">;
  readonly derived: Pick<Derived, "listSessions" | "progress">;
  readonly newLogs: NewLogs;
  readonly logger: Logger;
  /** Whether prompts that waited are sent. */
  readonly resumeQueue: boolean;
  readonly get: (sessionId: string) => Promise<LiveSession>;
  /** The gateway ends, and the index with it. */
  readonly isClosing: () => boolean;
}

/**
 * Ends in the logs, as their owner, what ended with the gateway before: requests, turns, agents. Prompts that waited are
 * sent when the config says so. The index has caught up with the logs before.
 */
export async function recoverSessions(options: RecoveryOptions): Promise<void> {
  const { derived, newLogs, logger, isClosing } = options;
  for await (const sessionId of interrupted(options))
    if (isClosing() || !(await recoverOne(sessionId, options))) return;
  if (isClosing()) return;
  const known = derived.progress();
  await newLogs.eraseEmpty(
    (sessionId) => isClosing() || known.has(sessionId),
    (sessionId) => logger.info("A session without any event was removed.", { sessionId }),
  );
}

/** Sessions whose agents ran, then those that the index has as not idle; all of them where queues are resumed. */
async function* interrupted({ agents, derived, resumeQueue, isClosing }: RecoveryOptions) {
  yield* await agents.interrupted();
  for (let cursor: string | null | undefined; cursor !== null && !isClosing();) {
    const page = derived.listSessions(cursor === undefined ? {} : { cursor });
    for (const { sessionId, state } of page.sessions)
      if (state !== "idle" || resumeQueue) yield sessionId;
    cursor = page.nextCursor;
  }
}

/** False on a full disk: each of the others would fail as well. They recover when they are driven. */
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
