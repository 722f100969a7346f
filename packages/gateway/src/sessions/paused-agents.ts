import { LandlineError } from "@landline/protocol";
import type { AgentEntry } from "../agents/agent.ts";
import type { WhilePaused } from "../sign-in/paused-agent.ts";
import type { LiveSession } from "./session.ts";
import { isWorking } from "./session-state.ts";

/** Pauses the agents with one id during a sign-out. */
export class PausedAgents {
  readonly #paused = new Map<string, Promise<void>>();

  /** Resolves when agents with this id may start. */
  async over(agentId: string): Promise<void> {
    await this.#paused.get(agentId)?.catch(() => {});
  }

  /** Throws `agent-busy` if one of them works. None starts before the work is done. */
  during(
    entry: AgentEntry,
    sessions: Iterable<Promise<LiveSession>>,
    work: Parameters<WhilePaused>[1],
  ): Promise<void> {
    const pausing = this.#pause(entry, sessions, work).finally(() => this.#paused.delete(entry.id));
    this.#paused.set(entry.id, pausing);
    return pausing;
  }

  async #pause(
    entry: AgentEntry,
    sessions: Iterable<Promise<LiveSession>>,
    work: Parameters<WhilePaused>[1],
  ): Promise<void> {
    const opened = await Promise.allSettled(sessions);
    const live = opened
      .flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))
      .filter(({ summary }) => summary.agent === entry.id);
    const working = live.filter(({ state }) => isWorking(state.now));
    if (working.length > 0) throw busy(entry, working);
    using paused = new DisposableStack();
    const running = live.flatMap((session) => session.pause() ?? []);
    for (const agent of running) paused.use(agent);
    await work(running);
    // Idle agents may have been ending.
    await Promise.all(live.map((session) => session.agentLeft()));
  }
}

function busy({ id, name }: AgentEntry, working: readonly LiveSession[]): LandlineError {
  const where = working.length === 1 ? "a conversation" : `${working.length} conversations`;
  return new LandlineError("agent-busy", {
    message: `${name} is working in ${where}.`,
    help: "Wait until it is done or stop it there, then try again.",
    data: { agent: id, sessions: working.map((session) => session.id) },
  });
}
