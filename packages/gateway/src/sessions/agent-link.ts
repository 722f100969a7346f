import { setTimeout as sleep } from "node:timers/promises";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  asLandlineError,
  LandlineError,
  type AgentExited,
  type EventBody,
} from "@landline/protocol";
import type { SetAside } from "@landline/sandbox";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { AgentExit, RunningAgent } from "../agents/agent.ts";
import type { AgentPlaces } from "../agents/agent-places.ts";
import { dialUntilReached } from "../agents/redial.ts";
import { clientCapabilities } from "../agents/client-capabilities.ts";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import type { CallOutcome } from "../acp-connection/calls.ts";
import type { AgentConnection, ConnectionHandlers } from "../acp-connection/connection.ts";
import type { RequestId } from "../acp-connection/message.ts";
import { RestartPolicy } from "../agents/restart-policy.ts";
import { logOut } from "../sign-in/sign-out.ts";
import type { AgentMessages } from "./agent-messages.ts";
import type { AgentRequests } from "./agent-requests.ts";
import { agentOf, childOf, leaveSession, newRun, waysBack, type AgentRun } from "./agent-run.ts";
import type { SlotHolder } from "./agent-slots.ts";
import { copySession, type AgentCopy } from "./agent-copy.ts";
import { AgentUpdates } from "./agent-updates.ts";
import { optionsAfterExit } from "./options-after-exit.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { readInitialOptions } from "./initial-options.ts";
import { IdleClock } from "./idle-clock.ts";
import { openSession, requestOf, type Before, type Opened } from "./open-session.ts";
import type { Choice, Options } from "./options.ts";
import { promptFor } from "./prompt-content.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionHost } from "./session-host.ts";
import { isQuiet, isRunning, type StateMachine } from "./session-state.ts";
import { startedEvents } from "./started-events.ts";

export interface AgentLinkOptions {
  readonly host: SessionHost;
  readonly settings: AgentSettings;
  readonly state: StateMachine;
  readonly recorder: Recorder;
  readonly agentRequests: AgentRequests;
  /** The receiver of the agent's messages. It is created after the link. */
  readonly messages: () => AgentMessages;
  /** The connection ended. All calls have failed before. */
  readonly gone: (run: AgentRun) => void;
  /** The limit of running agents is reached, and none is idle. */
  readonly waits: (running: number, limit: number) => void;
  readonly changed: () => void;
}

type EndReason = Pick<AgentExited, "because" | "by">;

/**
 * Starts the agent of a session on demand, one at a time, and again after it has ended. The part `agent` of the
 * session's state is its state; `session-state.ts` has the transitions.
 */
export class AgentLink implements SlotHolder {
  readonly #host: SessionHost;
  readonly #settings: AgentSettings;
  readonly #state: StateMachine;
  readonly #recorder: Recorder;
  readonly #options: AgentLinkOptions;
  readonly #restarts: RestartPolicy;
  /** Restore methods that succeeded although the agent had lost the session. */
  readonly #deadEnds = new Set<AgentRun["how"]>();
  /** Set from the response to `initialize` until the process ends. */
  #run: AgentRun | null = null;
  #lastAgent: RunningAgent | null = null;
  #starting: Promise<AgentRun> | null = null;
  #leaving: Promise<AgentExit> | null = null;
  #slot: Disposable | null = null;
  /** Aborts a waiting start; null while none waits. */
  #wait: AbortController | null = null;
  readonly #clock: IdleClock;

  constructor(options: AgentLinkOptions) {
    const { host, settings, state, recorder } = options;
    this.#host = host;
    this.#settings = settings;
    this.#state = state;
    this.#recorder = recorder;
    this.#options = options;
    this.#restarts = new RestartPolicy(host.limits);
    this.#clock = new IdleClock(host.limits.agentIdleMs, {
      isIdle: () => this.idleSince !== null && this.canComeBack,
      idle: () => this.#endUnused("idle"),
    });
  }

  /** Null while no agent runs. */
  get run(): AgentRun | null {
    return isRunning(this.#state.now) ? this.#run : null;
  }

  /** The agent that was started last. */
  get lastAgent(): RunningAgent | null {
    return this.#lastAgent;
  }

  get idleSince(): number | null {
    return this.run && this.#isIdle ? this.#clock.usedAt : null;
  }

  get canComeBack(): boolean {
    const capabilities = this.run?.agent?.capabilities;
    return Boolean(capabilities && waysBack(capabilities).some((how) => !this.#deadEnds.has(how)));
  }

  waits(running: number, limit: number): void {
    this.#options.waits(running, limit);
  }

  /** Cancels a start that does not have a slot yet. */
  stopWaiting(): void {
    this.#wait?.abort(new LandlineError("request-cancelled"));
  }

  /** Resets the idle time. */
  used(): void {
    this.#clock.used();
    if (this.idleSince !== null) this.#host.slots.makeRoom();
  }

  endIdle(): void {
    this.#endUnused("room");
  }

  /** The running agent, or the one that is starting; null if there is none. */
  async arrived(): Promise<AgentRun | null> {
    return this.run ?? (await this.#starting?.catch(() => null)) ?? null;
  }

  ensure(): Promise<AgentRun> {
    if (this.run) return Promise.resolve(this.run);
    this.#starting ??= this.#start().finally(() => (this.#starting = null));
    return this.#starting;
  }

  /** Ends the agent and records its exit. */
  retire(run: AgentRun, why: EndReason = {}): Promise<AgentExit> {
    this.#state.apply("agent-leaving");
    this.#clock.stop();
    this.#host.metrics.agentsRunning.add(this.#settings.agent, -1);
    this.#leaving = this.#end(run, why);
    return this.#leaving;
  }

  /** Resolves when the last retired agent has ended and its exit is recorded, if the log accepts it. */
  async left(): Promise<void> {
    await this.#leaving?.catch(() => {});
  }

  /** Protected places that the agent created since the last call; null when it is not confined. Never rejects. */
  created(): Promise<SetAside | null> | null {
    const places = this.run?.agent?.places;
    return places ? this.#createdIn(places) : null;
  }

  /** The restore method succeeded, but the agent had lost the session: it is not used again. */
  noteDeadEnd({ how }: AgentRun): void {
    this.#deadEnds.add(how);
  }

  /** Records a crash. Returns false if it crashed too often to restart without a person. */
  noteCrash(): boolean {
    this.#host.metrics.agentsCrashed.add(this.#settings.agent);
    this.#restarts.noteCrash();
    return !this.#restarts.stopped;
  }

  /** A person asked for the agent, so it may start again. */
  forgiveCrashes(): void {
    if (this.#restarts.stopped) this.#restarts.reset();
  }

  prompt(
    run: AgentRun,
    content: readonly ContentBlock[],
    settle: (outcome: CallOutcome) => void,
  ): RequestId | null {
    const { connection, capabilities } = agentOf(run);
    if (this.run === run) this.#state.apply("agent-prompted");
    const prompt = promptFor(capabilities, content);
    return connection.call("session/prompt", { sessionId: run.id, prompt }, {}, settle);
  }

  cancel(): void {
    this.#connection?.notify("session/cancel", { sessionId: this.#run?.id });
  }

  cancelRequest(id: RequestId): void {
    this.#connection?.cancel(id);
  }

  /** Pauses reading until `release` is called with the same reason. */
  hold(reason: string): void {
    this.#connection?.hold(reason);
  }

  release(reason: string): void {
    this.#connection?.release(reason);
  }

  /** Starts the agent if necessary, and updates the session's options from its response. */
  async choose(choiceOf: (options: Options) => Choice): Promise<void> {
    await this.using(async () => {
      const run = await this.ensure();
      const choice = choiceOf(this.#settings.options);
      const result = await this.#ask(run, ...requestOf(run, choice));
      this.#settings.options = choice.after(result, this.#settings.options);
    });
  }

  /**
   * Forks the session in the agent; null if the agent cannot. `copied` is called in wire order, before later
   * messages. `close` closes the fork.
   */
  copy(copied: () => void): Promise<AgentCopy | null> {
    return this.using(async () => {
      const { run } = this;
      if (!run) return null;
      return copySession(run, this.#host.limits, () => {
        this.#options.messages().flush();
        copied();
      });
    });
  }

  /**
   * Sends `session/close` or `session/delete`, if the agent runs and has the method. Returns whether it was answered: a
   * failure is the agent's, and the session ends anyway.
   */
  async leave(how: "close" | "delete"): Promise<boolean> {
    const { run } = this;
    const { agentInputMs } = this.#host.limits;
    return run !== null && this.using(() => leaveSession(run, how, agentInputMs));
  }

  signOut(run: AgentRun): Promise<unknown> {
    return logOut(run.entry, agentOf(run), this.#host.limits);
  }

  /** Whether no turn, request, terminal or command uses the agent. */
  get #isIdle(): boolean {
    return isQuiet(this.#state.now) && !this.#options.agentRequests.isBusy;
  }

  /** Runs a command during which the agent is not idle. */
  async using<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#state.apply("command-begun");
    try {
      return await use();
    } finally {
      this.#state.apply("command-over");
      this.used();
    }
  }

  get #connection(): AgentConnection | undefined {
    return this.run?.agent?.connection;
  }

  #ask(run: AgentRun, method: string, params: object): Promise<unknown> {
    const { sessionNewMs: timeoutMs } = this.#host.limits;
    return agentOf(run).connection.request(method, params, { timeoutMs });
  }

  #endUnused(because: NonNullable<AgentExited["because"]>): void {
    if (!this.run) return;
    this.retire(this.run, { because }).then(
      () => this.#options.changed(),
      (error: unknown) =>
        this.#host.report(this.#recorder.log.sessionId, "An idle agent did not end.", error),
    );
  }

  async #end(run: AgentRun, why: EndReason): Promise<AgentExit> {
    const slot = this.#slot;
    this.#slot = null;
    run.wasStopped ||= !run.isGone;
    const exit = await agentOf(run).stop();
    const { places } = agentOf(run);
    const created = places ? await this.#createdIn(places) : null;
    this.#run = null;
    this.#state.apply("agent-left");
    slot?.[Symbol.dispose]();
    const ended = await this.#resetPermissiveOptions(run);
    this.#options.agentRequests.agentGone();
    this.#recorder.record({ kind: "agent-exited", ...exit, ...why }, ...ended);
    this.#askAboutCreated(created);
    return exit;
  }

  #askAboutCreated(created: SetAside | null): void {
    const { agentRequests, changed } = this.#options;
    if (created) void agentRequests.askAboutCreated(created).finally(changed);
  }

  /** A failed search must keep neither the turn nor the agent from ending. A person reads of it. */
  async #createdIn(places: AgentPlaces): Promise<SetAside | null> {
    try {
      return await places.setAside();
    } catch (error) {
      const { code, message, help } = asLandlineError(error);
      const what = "Landline could not look for protected places that the agent created.";
      this.#host.report(this.#recorder.log.sessionId, what, error);
      this.#recorder.record({ kind: "error", code, message: `${what} ${message}`, help });
      return null;
    }
  }

  /** Permissive choices end with the agent process. */
  async #resetPermissiveOptions(run: AgentRun): Promise<readonly EventBody[]> {
    const { agent: id, options } = this.#settings;
    const { info } = agentOf(run);
    const after = await optionsAfterExit({ id, info }, options, this.#recorder.log);
    // The next start restores choices or reports those that it does not restore.
    const isAbsent = this.#state.now.agent === "absent";
    if (after === null || !isAbsent || this.#settings.options !== options) return [];
    this.#settings.options = after.options;
    return after.events;
  }

  async #start(): Promise<AgentRun> {
    const state = this.#state;
    state.apply("agent-needed");
    try {
      const slot = await this.#takeSlot();
      state.apply("agent-admitted");
      const { run, opened } = await this.#open(this.#before()).catch((error: unknown) => {
        slot[Symbol.dispose]();
        throw error;
      });
      this.#slot = slot;
      this.#started(run, opened);
      return run;
    } catch (error) {
      const isLeaving = state.now.agent === "waiting" && this.#run !== null;
      if (isLeaving) state.apply("agent-not-needed");
      else if (!isRunning(state.now)) state.apply("agent-failed");
      throw error;
    }
  }

  /** Null for a new session. */
  #before(): Before | null {
    const { agentSessionId, isContinued, forked, options } = this.#settings;
    if (agentSessionId === null && !forked) return null;
    const { log } = this.#recorder;
    return {
      agentSessionId,
      keepsHistory: isContinued,
      options,
      readInitialOptions: () => readInitialOptions(log),
      deadEnds: this.#deadEnds,
      origins: () => this.#host.forkOrigins(log),
    };
  }

  /** Waits for everything that must precede a start. `stopWaiting` ends the wait. */
  async #takeSlot(): Promise<Disposable> {
    this.#wait = new AbortController();
    const { signal } = this.#wait;
    const { paused, slots } = this.#host;
    try {
      // Some agents lock the sessions that they have open.
      await unlessAborted(this.left(), signal);
      const { delayMs } = this.#restarts;
      if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
      await unlessAborted(paused.over(this.#settings.agent), signal);
      return await slots.take(this, signal);
    } finally {
      this.#wait = null;
    }
  }

  /** Starts the process and opens its session. Ends the process if that fails. */
  async #open(before: Before | null): Promise<{ run: AgentRun; opened: Opened }> {
    const { agents, catalog, limits, metrics, servers, signIns } = this.#host;
    const { sessionId } = this.#recorder.log;
    const state = this.#state;
    const { cwd, roots, agent: agentId } = this.#settings;
    const entry = catalog.get(agentId, [cwd, ...roots]);
    const mcpServers = (await servers.of(sessionId)) ?? servers.ofProject(cwd);
    metrics.agentsStarted.add(agentId);
    const updates = new AgentUpdates({
      heldMax: limits.earlyUpdates,
      notices: this.#settings.notices,
      deliver: (update, child) => this.#options.messages().update(update, child),
    });
    const run = newRun(entry, { cwd, roots, mcpServers }, updates);
    const handlers = this.#handlers(run);
    const capabilities = clientCapabilities(entry);
    const start = {
      entry,
      cwd,
      roots,
      sessionId,
      limits,
      clientCapabilities: capabilities,
      handlers,
    };
    try {
      const again = () => {
        run.isGone = false;
        return agents.start(start);
      };
      // An agent at an address whose connection was lost is dialled again for a while.
      const agent = await (this.#lastAgent
        ? dialUntilReached(again, limits, (delayMs) => this.#pause(delayMs))
        : again());
      run.agent = agent;
      this.#run = run;
      this.#lastAgent = agent;
      state.apply("agent-introduced");
      signIns.introduced(entry.id, agent);
      const lastMethod = () => signIns.lastMethod(entry.id);
      const opened = await openSession({ run, agent, before, limits, state, lastMethod });
      signIns.accepted(entry.id, "opening");
      return { run, opened };
    } catch (error) {
      await run.agent?.stop();
      this.#run = null;
      const places = run.agent?.places;
      if (places) this.#askAboutCreated(await this.#createdIn(places));
      throw signIns.explained(entry, error, "opening");
    }
  }

  async #pause(delayMs: number): Promise<void> {
    this.#wait = new AbortController();
    const { signal } = this.#wait;
    try {
      await sleep(delayMs, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    } finally {
      this.#wait = null;
    }
  }

  #started(run: AgentRun, opened: Opened): void {
    this.#state.apply("agent-started");
    this.#clock.start();
    this.#host.metrics.agentsRunning.add(this.#settings.agent, 1);
    this.#settings.agentSessionId = run.id;
    this.#settings.isContinued = false;
    this.#settings.forked = false;
    this.#settings.options = opened.options;
    this.#recorder.record(...startedEvents(run, agentOf(run), opened));
    run.updates.deliverHeld(run.id);
    this.#options.messages().flush();
    this.#options.changed();
    // The agent may have ended in the meantime.
    if (run.isGone) this.#options.gone(run);
  }

  #handlers(run: AgentRun): ConnectionHandlers {
    return {
      // Updates before the response to `initialize` belong to no session.
      update: (update) => {
        if (run.agent) run.updates.take(update, run, this.#state.now.agent);
      },
      request: (request) => this.#request(run, request),
      notification: (method, params) => this.#options.messages().notification(method, params),
      noise: (report) => this.#options.messages().noise(report),
      flush: () => this.#options.messages().flush(),
      closed: () => {
        run.isGone = true;
        // `#open` reports the end of an agent that is still starting.
        if (this.run === run) this.#options.gone(run);
      },
    };
  }

  #request(run: AgentRun, request: AgentRequest): Promise<void> {
    if (!run.agent)
      throw new LandlineError("invalid-request", {
        message: "Requests are not allowed before the response to initialize.",
      });
    // Answers for a sign-in must not be stored in a session's log. `sign-in/` asks these questions.
    if (run.signIn === "running" && request.method === "elicitation/create") {
      request.answer({ action: "cancel" });
      return Promise.resolve();
    }
    return this.#options.messages().request(request, childOf(run, request.params));
  }
}
