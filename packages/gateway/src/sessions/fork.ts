import { randomUUIDv7 } from "node:crypto";
import { decodeLine, type SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { linesOf } from "../log/log-lines.ts";
import type { AgentLink } from "./agent-link.ts";
import { copyConversation } from "./copy-conversation.ts";
import type { ForkTitles } from "./fork-titles.ts";
import type { StoredMcpServers } from "./stored-mcp-servers.ts";
import type { NewLogs } from "./new-logs.ts";
import { partsFromLog, type SessionParts } from "./parts-from-log.ts";
import type { Recorder } from "./recorder.ts";
import type { Turns } from "./turns.ts";

export interface ForkPlace {
  readonly newLogs: NewLogs;
  readonly servers: StoredMcpServers;
  readonly titles: ForkTitles;
  readonly viewOf: (log: SessionLog) => Promise<SessionView>;
}

/** Copies the log, and the agent's session if the agent supports it. */
export async function forkSession(
  place: ForkPlace,
  original: Recorder,
  by: string,
  inAgent: () => Promise<ForkPoint | null>,
): Promise<SessionParts> {
  const { log, summary } = original;
  using held = await place.titles.hold(summary.title ?? summary.firstPrompt);
  const point = await inAgent().catch(() => null);
  const closed = point?.close();
  const { head, agentSessionId } = point ?? { head: log.head, agentSessionId: null };
  // Only durable events can be read from the log.
  if (log.visible < head) await log.whenDurable(head);
  const fork = await forkLog(place, original, { title: held.title, head, agentSessionId, by });
  await closed;
  const { info } = (await original.view()).agent;
  return partsFromLog(fork, await place.viewOf(fork), info);
}

/** The point at which an agent forked its session. */
export interface ForkPoint {
  /** The last event before the agent's response. */
  readonly head: number;
  /** The id of the agent's fork; null if it may not end at `head`. */
  readonly agentSessionId: string | null;
  /** Closes the copy where it was made, because some agents lock open sessions. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Null if the agent cannot fork or does not run. */
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
    // If a turn began or ended meanwhile, the content of the fork is unknown.
    isSure = turns.changes === changes;
  });
  return copy ? { head, agentSessionId: isSure ? copy.id : null, close: copy.close } : null;
}

interface NewFork extends Pick<ForkPoint, "head" | "agentSessionId"> {
  readonly title: string | null;
  readonly by: string;
}

/** Copies the log up to `head` and withdraws the copied queue, because the original sends those prompts. */
async function forkLog(
  { newLogs, servers, viewOf }: ForkPlace,
  { log: original, summary: { agent, cwd, roots } }: Recorder,
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

/** A fork or the origin of one. */
export interface Relative {
  readonly log: Pick<SessionLog, "read">;
  readonly view: SessionView;
}

/**
 * The agent's session ids of the origins of a fork, the nearest first, as long as neither has changed since the fork.
 * Origins that were started with a transcript are skipped, because the agent may not have received it.
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

/** Copied turns keep their ids. A turn that is interrupted in the copy continued in the original. */
async function endsAlike({ turn, lastTurn: last }: SessionView, { log, view }: Relative) {
  if (turn.state !== "idle" || !last || last.stopReason === "interrupted") return false;
  if (view.lastTurn?.turnId === last.turnId) return view.lastTurn.stopReason === last.stopReason;
  // No agent has seen turns that failed before the fork's first start.
  return view.agent.starts === 0 && (await endOf(last.turnId, log)) === last.stopReason;
}

/** Reads the log, because a view contains only the latest items. */
async function endOf(turnId: string, log: Relative["log"]): Promise<string | null> {
  for await (const chunk of log.read(0)) {
    for (const line of linesOf(chunk)) {
      const event = line.includes(turnId) ? decodeLine(line) : null;
      if (event?.kind === "turn-ended" && event["turnId"] === turnId)
        return String(event["stopReason"]);
    }
  }
  return null;
}
