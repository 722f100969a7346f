import { randomUUIDv7 } from "node:crypto";
import { decodeLine, type SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import type { AgentLink } from "./agent-link.ts";
import { copyConversation } from "./copy.ts";
import type { ForkTitles } from "./fork-titles.ts";
import type { StoredMcpServers } from "./stored-mcp-servers.ts";
import type { NewLogs } from "./new-logs.ts";
import { partsFromLog } from "./parts-from-log.ts";
import type { LiveSession, SessionParts } from "./session.ts";
import type { Turns } from "./turns.ts";

export interface ForkPlace {
  readonly newLogs: NewLogs;
  readonly servers: StoredMcpServers;
  readonly titles: ForkTitles;
  readonly viewOf: (log: SessionLog) => Promise<SessionView>;
}

/** A copy of the log so far under a new number one, and a copy of the agent's session where it can make one. */
export async function forkSession(
  place: ForkPlace,
  session: LiveSession,
  by: string,
  inAgent: () => Promise<ForkPoint | null>,
): Promise<SessionParts> {
  const { log, summary } = session;
  using held = await place.titles.hold(summary.title ?? summary.firstPrompt);
  const point = await inAgent().catch(() => null);
  const closed = point?.close();
  const { head, agentSessionId } = point ?? { head: log.head, agentSessionId: null };
  // The copy is read from the log, which shows what is safe alone.
  if (log.visible < head) await log.whenDurable(head);
  const fork = await forkLog(place, session, { title: held.title, head, agentSessionId, by });
  await closed;
  const { info } = (await session.view()).agent;
  return partsFromLog(fork, await place.viewOf(fork), info);
}

/** Where an agent has copied its session. */
export interface ForkPoint {
  /** The last event of the log before the agent answered. */
  readonly head: number;
  /** The agent's own copy, where it is known to end there. */
  readonly agentSessionId: string | null;
  /** Closes the copy where it was made, because some agents lock open sessions. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Null when the agent can't make a copy, or does not run. */
export async function copyInAgent(
  agent: AgentLink,
  log: SessionLog,
  turns: Pick<Turns, "changes">,
): Promise<ForkPoint | null> {
  const { changes } = turns;
  let head = 0;
  let isSure = false;
  const copy = await agent.copy(() => {
    ({ head } = log);
    // Nobody can say what the copy knows of a turn that began or ended while it was made.
    isSure = turns.changes === changes;
  });
  return copy ? { head, agentSessionId: isSure ? copy.id : null, close: copy.close } : null;
}

interface NewFork extends Pick<ForkPoint, "head" | "agentSessionId"> {
  readonly title: string | null;
  readonly by: string;
}

/** A copy of the log up to `head` under a new number one. What waits in the queue is sent in the original alone. */
async function forkLog(
  { newLogs, servers, viewOf }: ForkPlace,
  { log: original, summary: { agent, cwd, roots } }: LiveSession,
  { title, head, agentSessionId, by }: NewFork,
): Promise<SessionLog> {
  const parent = original.sessionId;
  const copy = agentSessionId === null ? {} : { agentSessionId };
  const { log } = await newLogs.make(
    randomUUIDv7(),
    { kind: "session-opened", agent, cwd, roots, title, parent, ...copy, by },
    await servers.of(parent),
    async (fork) => {
      await copyConversation(original, fork, head);
      const waiting = (await viewOf(fork)).queue;
      const withdrawn = waiting.map(({ promptId }) => ({
        kind: "prompt-withdrawn" as const,
        promptId,
        by,
      }));
      if (withdrawn.length > 0) fork.append(withdrawn);
    },
  );
  return log;
}

/** A session that is a fork, or that one was made of. */
export interface Relative {
  readonly log: Pick<SessionLog, "read">;
  readonly view: SessionView;
}

/**
 * The agent's ids of what a session was forked from, the nearest first, as far as nothing has happened since, there or
 * here: its copy of any of them is what the fork was. One that was given a transcript may not have been told it yet.
 */
export async function forkOrigins(
  fork: Relative,
  find: (sessionId: string) => Promise<Relative | null>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let copy = fork; ;) {
    const { agent, parent } = copy.view.session;
    const origin = parent === null ? null : await find(parent);
    if (origin?.view.session.agent !== agent || !(await endsAlike(origin.view, copy))) return ids;
    const { agentSessionId, how } = origin.view.agent;
    if (agentSessionId !== null && how !== "transcript") ids.push(agentSessionId);
    copy = origin;
  }
}

/** Turns keep their ids when they are copied. One that was cut off in the copy has gone on in the original. */
async function endsAlike({ turn, lastTurn: last }: SessionView, { log, view }: Relative) {
  if (turn.state !== "idle" || !last || last.stopReason === "interrupted") return false;
  if (view.lastTurn?.turnId === last.turnId) return view.lastTurn.stopReason === last.stopReason;
  // Turns of its own that failed before it had an agent are known to none.
  return view.agent.starts === 0 && (await endOf(last.turnId, log)) === last.stopReason;
}

/** By the log: the items of a view are the latest alone. */
async function endOf(turnId: string, log: Relative["log"]): Promise<string | null> {
  for await (const { bytes } of log.read(0)) {
    for (const line of bytes.toString("utf8").trimEnd().split("\n")) {
      const event = line.includes(turnId) ? decodeLine(line) : null;
      if (event?.kind === "turn-ended" && event["turnId"] === turnId)
        return String(event["stopReason"]);
    }
  }
  return null;
}
