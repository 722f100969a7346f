import { LandlineError } from "@landline/protocol";
import type { AgentEntry } from "../agents/agent.ts";
import type { LiveSession } from "./session.ts";

/** An agent that runs and is given nothing to do until it is disposed of: prompts wait meanwhile. */
export interface RestingAgent extends Disposable {
  signOut(): Promise<unknown>;
  /** Whether its conversation was closed or deleted meanwhile, and it was ended with it. */
  wasStopped(): boolean;
  /** Ends it. The next prompt starts another. */
  end(): Promise<void>;
}

export type WhileResting = (
  entry: AgentEntry,
  work: (running: readonly RestingAgent[]) => Promise<void>,
) => Promise<void>;

/** Agents that rest while something is done that all of the same kind must know of. */
export class RestingAgents {
  readonly #resting = new Map<string, Promise<void>>();

  /** Resolves when agents with this id may be started. */
  async over(agentId: string): Promise<void> {
    await this.#resting.get(agentId)?.catch(() => {});
  }

  /** Throws `agent-busy` where one of them works. None is started before the work is done. */
  during(
    entry: AgentEntry,
    sessions: Iterable<Promise<LiveSession>>,
    work: Parameters<WhileResting>[1],
  ): Promise<void> {
    const resting = this.#rest(entry, sessions, work).finally(() => this.#resting.delete(entry.id));
    this.#resting.set(entry.id, resting);
    return resting;
  }

  async #rest(
    entry: AgentEntry,
    sessions: Iterable<Promise<LiveSession>>,
    work: Parameters<WhileResting>[1],
  ): Promise<void> {
    const opened = await Promise.allSettled(sessions);
    const live = opened
      .flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))
      .filter(({ agentId }) => agentId === entry.id);
    const working = live.filter(({ isWorking }) => isWorking);
    if (working.length > 0) throw busy(entry, working);
    using rested = new DisposableStack();
    const running = live.flatMap((session) => session.rest() ?? []);
    for (const agent of running) rested.use(agent);
    await work(running);
  }
}

function busy({ id, name }: AgentEntry, working: readonly LiveSession[]): LandlineError {
  const where = working.length === 1 ? "a conversation" : `${working.length} conversations`;
  return new LandlineError("agent-busy", {
    message: `${name} is at work in ${where}.`,
    help: "Wait until it is done or stop it there, then try again.",
    data: { agent: id, sessions: working.map((session) => session.id) },
  });
}
