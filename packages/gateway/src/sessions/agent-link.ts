import { setTimeout as sleep } from "node:timers/promises";
import { LandlineError, type AgentExited, type EventBody } from "@landline/protocol";
import type { AgentExit } from "../agents/agent.ts";
import { RestartPolicy } from "../agents/restart-policy.ts";
import type { SessionLog } from "../log/log.ts";
import type { AgentSession, AgentSessionOwner, Before } from "./agent-session.ts";
import type { SlotHolder } from "./agent-slots.ts";
import { choicesAfter } from "./ended-choices.ts";
import type { Facts } from "./facts.ts";
import { firstOptions } from "./first-options.ts";
import { IdleClock } from "./idle-clock.ts";
import type { StateMachine } from "./session-state.ts";
import type { SessionHost } from "./session-host.ts";
import { startedEvents } from "./started-events.ts";

export interface AgentLinkOwner extends AgentSessionOwner {
  readonly id: string;
  readonly log: SessionLog;
  readonly state: StateMachine;
  record(...events: EventBody[]): void;
  /** The agent has ended, and how is not in the log yet. */
  agentEnded(): void;
  /** Whether nothing uses the agent: no turn, request, terminal or choice. */
  isIdle(): boolean;
  /** All agents that may run do, and none is idle. */
  agentWaits(running: number, limit: number): void;
  changed(): void;
}

/** The agent of a session: started when it is needed, one at a time, and again when it has ended. */
export class AgentLink implements SlotHolder {
  readonly #host: SessionHost;
  readonly #facts: Facts;
  readonly #owner: AgentLinkOwner;
  readonly #restarts: RestartPolicy;
  readonly #deadEnds = new Set<AgentSession["how"]>();
  #current: AgentSession | null = null;
  #starting: Promise<AgentSession> | null = null;
  #leaving: Promise<AgentExit> | null = null;
  #restartDelayMs = 0;
  #slot: Disposable | null = null;
  /** Aborts the wait for a slot; null while it does not wait. */
  #wait: AbortController | null = null;
  readonly #clock: IdleClock;

  constructor(host: SessionHost, facts: Facts, owner: AgentLinkOwner) {
    this.#host = host;
    this.#facts = facts;
    this.#owner = owner;
    this.#restarts = new RestartPolicy(host.limits);
    this.#clock = new IdleClock(host.limits.agentIdleMs, {
      isIdle: () => this.idleSince !== null && this.canComeBack,
      idle: () => this.#endUnused("idle"),
    });
  }

  /** Null while none runs. */
  get current(): AgentSession | null {
    return this.#current;
  }

  get idleSince(): number | null {
    return this.#current && this.#owner.isIdle() ? this.#clock.usedAt : null;
  }

  get canComeBack(): boolean {
    return this.#current?.canComeBack(this.#deadEnds) ?? false;
  }

  waits(running: number, limit: number): void {
    this.#owner.agentWaits(running, limit);
  }

  /** It does not start, unless it has a slot already. */
  stopWaiting(): void {
    this.#wait?.abort(new LandlineError("request-cancelled"));
  }

  /** Something was done with it, or is over. */
  used(): void {
    this.#clock.used();
    if (this.idleSince !== null) this.#host.slots.makeRoom();
  }

  endIdle(): void {
    this.#endUnused("room");
  }

  #endUnused(because: NonNullable<AgentExited["because"]>): void {
    if (!this.#current) return;
    this.retire(this.#current, because).then(
      () => this.#owner.changed(),
      (error: unknown) => this.#host.report(this.#owner.id, "An idle agent did not end.", error),
    );
  }

  /** The one that runs, or is just being started; null when there is none. */
  async arrived(): Promise<AgentSession | null> {
    return this.#current ?? (await this.#starting?.catch(() => null)) ?? null;
  }

  ensure(): Promise<AgentSession> {
    if (this.#current) return Promise.resolve(this.#current);
    this.#starting ??= this.#begin().finally(() => (this.#starting = null));
    return this.#starting;
  }

  async #begin(): Promise<AgentSession> {
    const { state } = this.#owner;
    state.apply("agent-needed");
    try {
      return await this.#start();
    } catch (error) {
      if (state.now.agent !== "running") state.apply("agent-failed");
      throw error;
    }
  }

  /** Ends it, and says in the log how. */
  retire(agent: AgentSession, because?: AgentExited["because"]): Promise<AgentExit> {
    this.#current = null;
    this.#owner.state.apply("agent-leaving");
    this.#clock.stop();
    this.#host.metrics.agentsRunning.add(this.#facts.agent, -1);
    this.#leaving = this.#end(agent, because);
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

  async #end(agent: AgentSession, because: AgentExited["because"]): Promise<AgentExit> {
    const slot = this.#slot;
    this.#slot = null;
    const exit = await agent.stop();
    this.#owner.state.apply("agent-left");
    slot?.[Symbol.dispose]();
    const ended = await this.#endedChoices(agent);
    this.#owner.agentEnded();
    this.#owner.record(
      { kind: "agent-exited", ...exit, ...(because === undefined ? {} : { because }) },
      ...ended,
    );
    return exit;
  }

  /** Choices that answer for the person end with the agent process. */
  async #endedChoices({ info }: AgentSession): Promise<readonly EventBody[]> {
    const { agent: id, options } = this.#facts;
    const after = await choicesAfter({ id, info }, options, this.#owner.log);
    // The start of an agent restores choices, or says which ones it does not restore.
    const isAbsent = this.#owner.state.now.agent === "absent";
    if (after === null || !isAbsent || this.#facts.options !== options) return [];
    this.#facts.options = after.options;
    return after.events;
  }

  async #start(): Promise<AgentSession> {
    // Some agents lock the sessions that they have open.
    await this.left();
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
    const slot = await this.#takeSlot();
    this.#owner.state.apply("agent-admitted");
    const agent = await this.#open(before).catch((error: unknown) => {
      slot[Symbol.dispose]();
      throw error;
    });
    this.#slot = slot;
    this.#owner.state.apply("agent-started");
    this.#current = agent;
    this.#clock.start();
    this.#host.metrics.agentsRunning.add(this.#facts.agent, 1);
    this.#facts.agentSessionId = agent.id;
    this.#facts.forked = false;
    this.#facts.options = agent.choices;
    this.#owner.record(...startedEvents(agent));
    agent.begin();
    this.#owner.changed();
    return agent;
  }

  #open(before: Before | null): Promise<AgentSession> {
    return this.#host.startAgent(this.#owner.id, this.#facts, before, this.#owner);
  }

  async #takeSlot(): Promise<Disposable> {
    this.#wait = new AbortController();
    try {
      return await this.#host.slots.take(this, this.#wait.signal);
    } finally {
      this.#wait = null;
    }
  }
}
