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

/** A copy of the log so far under a new number one. What waits in the queue is sent in the original alone. */
export async function forkLog(
  { newLogs, servers, viewOf }: ForkPlace,
  original: SessionLog,
  { agent, cwd, roots, title }: Facts,
  by: string,
): Promise<SessionLog> {
  const parent = original.sessionId;
  const log = await newLogs.make(
    randomUUIDv7(),
    { kind: "session-opened", agent, cwd, roots, title: forkTitle(title), parent, by },
    await servers.of(parent),
  );
  await copyConversation(original, log);
  const waiting = (await viewOf(log)).queue;
  const withdrawn = waiting.map(({ promptId }) => ({
    kind: "prompt-withdrawn" as const,
    promptId,
    by,
  }));
  if (withdrawn.length > 0) log.append(withdrawn);
  return log;
}

/** In a list it stands beside the one that it was made from. A fork of a fork counts on. */
function forkTitle(title: string | null): string | null {
  if (title === null) return null;
  const before = / \(fork(?: (?<number>[1-9]\d{0,8}))?\)$/.exec(title);
  if (!before) return `${title} (fork)`;
  const number = Number(before.groups?.["number"] ?? 1);
  return `${title.slice(0, before.index)} (fork ${number + 1})`;
}
