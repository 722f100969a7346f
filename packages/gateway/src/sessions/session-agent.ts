import { setTimeout as sleep } from "node:timers/promises";
import type { EventBody } from "@landline/protocol";
import type { AgentExit } from "../agents/agent.ts";
import { permissionModesOf } from "../agents/permission-modes.ts";
import { RestartPolicy } from "../agents/restart-policy.ts";
import type { SessionLog } from "../log/log.ts";
import type { AgentSession, AgentSessionOwner } from "./agent-session.ts";
import type { Facts } from "./facts.ts";
import { firstOptions } from "./first-options.ts";
import { optionsEvent } from "./options.ts";
import { answersForPerson, endedChoices } from "./restored-choices.ts";
import type { SessionHost } from "./session-host.ts";
import { errorEvent, startedEvents } from "./started-events.ts";

export interface SessionAgentOwner extends AgentSessionOwner {
  readonly id: string;
  readonly log: SessionLog;
  record(...events: EventBody[]): void;
  /** It is in the log, with all that it said while it was opened. */
  agentStarted(): void;
  /** The agent has ended, and how is not in the log yet. */
  agentEnded(): void;
}

/** The agent of a session: started when it is needed, one at a time, and again when it has ended. */
export class SessionAgent {
  readonly #host: SessionHost;
  readonly #facts: Facts;
  readonly #owner: SessionAgentOwner;
  readonly #restarts: RestartPolicy;
  readonly #deadEnds = new Set<AgentSession["how"]>();
  #current: AgentSession | null = null;
  #starting: Promise<AgentSession> | null = null;
  #leaving: Promise<AgentExit> | null = null;
  #restartDelayMs = 0;

  constructor(host: SessionHost, facts: Facts, owner: SessionAgentOwner) {
    this.#host = host;
    this.#facts = facts;
    this.#owner = owner;
    this.#restarts = new RestartPolicy(host.limits);
  }

  /** Null while none runs. */
  get current(): AgentSession | null {
    return this.#current;
  }

  get isAbsent(): boolean {
    return this.#current === null && this.#starting === null;
  }

  get isStarting(): boolean {
    return this.#starting !== null;
  }

  /** The one that runs, or is just being started; null when there is none. */
  async arrived(): Promise<AgentSession | null> {
    return this.#current ?? (await this.#starting?.catch(() => null)) ?? null;
  }

  ensure(): Promise<AgentSession> {
    if (this.#current) return Promise.resolve(this.#current);
    this.#starting ??= this.#start().finally(() => (this.#starting = null));
    return this.#starting;
  }

  /** Ends it, and says in the log how. */
  retire(agent: AgentSession): Promise<AgentExit> {
    this.#current = null;
    this.#host.metrics.agentsRunning.add(this.#facts.agent, -1);
    this.#leaving = this.#end(agent);
    return this.#leaving;
  }

  /** Resolves when the one that was retired last has ended, and the log says how where it could. */
  async left(): Promise<void> {
    await this.#leaving?.catch(() => {});
  }

  /** It said yes to a way back, and then did not know the conversation: that way is not gone again. */
  noteDeadEnd({ how }: AgentSession): void {
    this.#deadEnds.add(how);
  }

  /** It ended by itself. False when it did so too often to be started again without a person. */
  noteCrash(): boolean {
    this.#host.metrics.agentsCrashed.add(this.#facts.agent);
    this.#restartDelayMs = this.#restarts.nextDelayMs();
    return !this.#restarts.stopped;
  }

  /** A person wants it. */
  forgiveCrashes(): void {
    if (this.#restarts.stopped) this.#restarts.reset();
  }

  /** No agent runs in a session that was read from its log. `info`: the agent that it had. */
  async endChoices(info: AgentSession["info"]): Promise<void> {
    const ended = await this.#endedChoices(info);
    if (ended.length > 0) this.#owner.record(...ended);
  }

  async #end(agent: AgentSession): Promise<AgentExit> {
    const exit = await agent.stop();
    const ended = await this.#endedChoices(agent.info);
    this.#owner.agentEnded();
    this.#owner.record({ kind: "agent-exited", ...exit }, ...ended);
    return exit;
  }

  /** Choices that answer for the person end with the agent process. */
  async #endedChoices(info: AgentSession["info"]): Promise<EventBody[]> {
    const modes = permissionModesOf(this.#facts.agent, info);
    if (!answersForPerson(this.#facts.options, modes)) return [];
    // Where the log can't be read, only modes that are known to ask count.
    const first = await firstOptions(this.#owner.log).catch(() => null);
    // The start of an agent restores choices, or says which ones it does not restore.
    if (!this.isAbsent) return [];
    const before = this.#facts.options;
    const { options, told } = endedChoices(before, first, modes);
    if (options === before) return [];
    this.#facts.options = options;
    return [optionsEvent(options), ...told.map(errorEvent)];
  }

  async #start(): Promise<AgentSession> {
    const { agentSessionId, forked, options } = this.#facts;
    const isNew = agentSessionId === null && !forked;
    const origins = () => this.#host.forkOrigins(this.#owner.log);
    const before = isNew
      ? null
      : {
          agentSessionId,
          options,
          firstOptions: () => firstOptions(this.#owner.log),
          deadEnds: this.#deadEnds,
          origins,
        };
    // One that keeps ending is not started again and again.
    if (this.#restartDelayMs > 0) await sleep(this.#restartDelayMs);
    this.#restartDelayMs = 0;
    const agent = await this.#host.startAgent(this.#owner.id, this.#facts, before, this.#owner);
    this.#current = agent;
    this.#host.metrics.agentsRunning.add(this.#facts.agent, 1);
    this.#facts.agentSessionId = agent.id;
    this.#facts.forked = false;
    this.#facts.options = agent.choices;
    this.#facts.closedAt = null;
    this.#owner.record(...startedEvents(agent));
    agent.begin();
    this.#owner.agentStarted();
    return agent;
  }
}
