import type { LandlineError, Limits } from "@landline/protocol";
import type { Logs } from "../log/log.ts";
import type { IndexDatabase } from "./index-database.ts";
import { Indexer, type IndexerProgress } from "./indexer.ts";

export interface RebuildResult {
  readonly sessions: number;
  /** One for each session that could not be derived; `data.sessionId` names it. */
  readonly problems: readonly LandlineError[];
}

export interface RebuildOptions {
  readonly limits?: Limits;
  readonly onProgress?: (progress: IndexerProgress) => void;
}

/**
 * Clears the database and fills it from the logs. There must be no other writer. Rejects when the database fails; the
 * next start continues from there.
 */
export async function rebuild(
  indexDatabase: IndexDatabase,
  logs: Logs,
  options: RebuildOptions = {},
): Promise<RebuildResult> {
  const problems: LandlineError[] = [];
  const failed = Promise.withResolvers<never>();
  let sessions = 0;
  indexDatabase.clear();
  await using indexer = new Indexer({
    indexDatabase,
    logs,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    onProblem: (problem) => {
      if (problem.data["sessionId"] === undefined) failed.reject(problem);
      else problems.push(problem);
    },
  });
  const done = indexer.start((progress) => {
    sessions = progress.done;
    options.onProgress?.(progress);
  });
  await Promise.race([done, failed.promise]);
  return { sessions, problems };
}
