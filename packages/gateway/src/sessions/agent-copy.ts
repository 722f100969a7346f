import type { Limits } from "@landline/protocol";
import { agentOf, canFork, type AgentRun } from "./agent-run.ts";
import { sessionParams } from "./session-params.ts";

export interface AgentCopy {
  readonly id: string;
  /** Closes the copy in this process. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Forks the session in its agent; null if the agent cannot. `copied` is called in wire order, before later messages. */
export async function copySession(
  run: AgentRun,
  { sessionNewMs: timeoutMs }: Limits,
  copied: () => void,
): Promise<AgentCopy | null> {
  const { capabilities, connection } = agentOf(run);
  // An agent that still needs the transcript has no conversation to fork.
  if (!canFork(capabilities) || run.needsTranscript) return null;
  const { cwd, mcpServers } = sessionParams(run.place, capabilities);
  const answered = Promise.withResolvers<string>();
  run.updates.awaitFork();
  // In wire order: updates after the response belong to the fork.
  const params = { sessionId: run.id, cwd, mcpServers };
  connection.call("session/fork", params, { timeoutMs }, ({ result, error }) => {
    const copyId = error ? null : (result as { sessionId: string }).sessionId;
    run.updates.addFork(copyId);
    copied();
    if (copyId === null) answered.reject(error);
    else answered.resolve(copyId);
  });
  const id = await answered.promise;
  const close = async () => {
    if (capabilities.sessionCapabilities?.close)
      await connection.request("session/close", { sessionId: id }, { timeoutMs }).catch(() => {});
  };
  return { id, close };
}
