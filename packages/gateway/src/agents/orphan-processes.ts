import type { Limits } from "@landline/protocol";
import type { Logger } from "../telemetry/logger.ts";
import type { AgentJournal, JournalEntry } from "./journal.ts";
import { bootId, readProcessTable } from "@landline/system/process-table";
import { orphansIn, type Sweeper } from "@landline/system/process-sweep";

/**
 * Ends the processes of an earlier gateway that its journal lists. Processes that do not end stay in the journal.
 * Returns the sessions of these agents.
 */
export async function endOrphans(
  journal: AgentJournal,
  sweeper: Sweeper,
  limits: Limits,
  logger: Pick<Logger, "info" | "warn">,
): Promise<readonly string[]> {
  const boot = await bootId();
  const orphans = await journal.orphans();
  // No process survives a reboot.
  const entries = orphans.filter((entry) => entry.boot === boot);
  const marks = new Set(entries.map(({ mark }) => mark));
  const startTimes = startTimesOf(entries);
  const { ended, left } = await sweeper.sweep({ marks, startTimes, limitMs: limits.sweepMs });
  if (ended > 0)
    logger.info("Ended processes that an earlier gateway left behind.", {
      ended,
      agents: [...new Set(entries.map(({ agent }) => agent))],
    });
  if (left.length > 0) logger.warn("Some processes of an earlier gateway did not end.", { left });
  await journal.reset(left.length === 0 ? [] : await stillThere(entries));
  return [...new Set(orphans.flatMap(({ sessionId }) => sessionId ?? []))];
}

function startTimesOf(entries: readonly JournalEntry[]): ReadonlyMap<number, number> {
  return new Map(
    entries.flatMap(({ pid, startTime }) =>
      pid === null || startTime === null ? [] : [[pid, startTime] as const],
    ),
  );
}

async function stillThere(entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const table = await readProcessTable();
  return entries.filter((entry) => orphansIn(table, { marks: new Set([entry.mark]) }).length > 0);
}
