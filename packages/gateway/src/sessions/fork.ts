import { randomUUIDv7 } from "node:crypto";
import type { SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { copyConversation } from "./copy.ts";
import type { Facts } from "./facts.ts";
import type { KeptServers } from "./kept-servers.ts";
import type { NewLogs } from "./new-logs.ts";

export interface ForkPlace {
  readonly newLogs: NewLogs;
  readonly servers: KeptServers;
  readonly viewOf: (log: SessionLog) => Promise<SessionView>;
}

/** Where an agent has copied its session. */
export interface ForkPoint {
  /** The last event of the log before the agent answered. */
  readonly head: number;
  /** The agent's own copy, where it is known to end there. */
  readonly agentSessionId: string | null;
  /** Never rejects. */
  readonly letGo: () => Promise<void>;
}

export interface NewFork extends Pick<ForkPoint, "head" | "agentSessionId"> {
  readonly title: string | null;
  readonly by: string;
}

/** A copy of the log up to `head` under a new number one. What waits in the queue is sent in the original alone. */
export async function forkLog(
  { newLogs, servers, viewOf }: ForkPlace,
  original: SessionLog,
  { agent, cwd, roots }: Facts,
  { title, head, agentSessionId, by }: NewFork,
): Promise<SessionLog> {
  const parent = original.sessionId;
  const copy = agentSessionId === null ? {} : { agentSessionId };
  const log = await newLogs.make(
    randomUUIDv7(),
    { kind: "session-opened", agent, cwd, roots, title, parent, ...copy, by },
    await servers.of(parent),
  );
  await copyConversation(original, log, head);
  const waiting = (await viewOf(log)).queue;
  const withdrawn = waiting.map(({ promptId }) => ({
    kind: "prompt-withdrawn" as const,
    promptId,
    by,
  }));
  if (withdrawn.length > 0) log.append(withdrawn);
  return log;
}

/**
 * The agent's ids of what a session was forked from, the nearest first, as far as nothing has happened since, there or
 * here: its copy of any of them is what the fork was. One that was given a transcript may not have been told it yet.
 */
export async function forkOrigins(
  fork: SessionView,
  viewOf: (sessionId: string) => Promise<SessionView | null>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let { parent } = fork.session;
  while (parent !== null) {
    const origin = await viewOf(parent);
    if (origin?.session.agent !== fork.session.agent || !endsAlike(origin, fork)) break;
    const { agentSessionId, how } = origin.agent;
    if (agentSessionId !== null && how !== "transcript") ids.push(agentSessionId);
    ({ parent } = origin.session);
  }
  return ids;
}

/** Turns keep their ids when they are copied. One that was cut off in the copy has gone on in the original. */
function endsAlike({ turn, lastTurn: last }: SessionView, { lastTurn: copied }: SessionView) {
  if (turn.state !== "idle" || !last || last.stopReason === "interrupted") return false;
  return last.turnId === copied?.turnId && last.stopReason === copied.stopReason;
}
