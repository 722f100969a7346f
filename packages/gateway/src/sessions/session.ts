import { randomUUIDv7 } from "node:crypto";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  asLandlineError,
  LandlineError,
  type AskSettled,
  type EventBody,
  type PromptChanged,
  type PromptMoved,
  type PromptWithdrawn,
  type SessionSummary,
  type SessionView,
  type SummaryParts,
} from "@landline/protocol";
import type { SetAside } from "@landline/sandbox";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import type { AgentUpdate } from "../acp-connection/message.ts";
import type { NoiseReport } from "../acp-connection/noise.ts";
import type { RuleSuggestions } from "../acp-client/permissions/suggest-rules.ts";
import type { SessionLog } from "../log/log.ts";
import { AgentRequests } from "./agent-requests.ts";
import { optionsAfter, type Facts } from "./facts.ts";
import { makeFirstChoices } from "./first-choices.ts";
import { copyInAgent } from "./fork.ts";
import { Inbox } from "./inbox.ts";
import { LiveSummary } from "./live-summary.ts";
import { PromptSizes } from "./message-size.ts";
import { chooseConfig, chooseMode, optionsEvent, type Choice, type Options } from "./options.ts";
import { interruptedView, type Interruption } from "./interruption.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { AgentLink, type AgentLinkOwner } from "./agent-link.ts";
import type { AgentRun } from "./agent-run.ts";
import type { PausedAgent } from "../sign-in/paused-agent.ts";
import type { SessionHost } from "./session-host.ts";
import { isDormant, isOver, isQuiet, StateMachine } from "./session-state.ts";
import type { OpenRequest, Session } from "./sessions.ts";
import { errorEvent } from "./started-events.ts";
import { Turns } from "./turns.ts";
import { UpdateRate } from "./update-rate.ts";

type Content = readonly ContentBlock[];

export interface SessionParts {
  readonly id: string;
  readonly log: SessionLog;
  readonly facts: Facts;
  readonly summary: SummaryParts;
  /** Set for a session that was read from its log. */
  readonly before?: { readonly view: SessionView; readonly interruption: Interruption };
}

/**
 * One session, as an actor: commands run in order, one turn runs at a time, and every event is in the log before
 * anyone sees it. A session outlives its agent: the next prompt starts the agent again.
 */
export class LiveSession implements Session, AgentLinkOwner {
  readonly id: string;
  readonly log: SessionLog;
  readonly #host: SessionHost;
  readonly #facts: Facts;
  readonly #summary: LiveSummary;
  readonly #inbox: Inbox;
  readonly #queue: PromptQueue;
  readonly #agentRequests: AgentRequests;
  readonly #rate: UpdateRate;
  readonly #sizes: PromptSizes;
  readonly #agent: AgentLink;
  readonly #turns: Turns;
  readonly #interruption: Interruption | null;
  readonly state = new StateMachine();
  #onWait = () => {};

  constructor(host: SessionHost, { id, log, facts, summary, before }: SessionParts) {
    this.id = id;
    this.log = log;
    this.#host = host;
    this.#facts = facts;
    this.#summary = new LiveSummary(log, summary);
    this.#queue = new PromptQueue(host.limits, log, before?.view);
    this.#interruption = before?.interruption ?? null;
    if (before && before.interruption.ends.length > 0) this.state.apply("log-interrupted");
    this.#agent = new AgentLink(host, facts, this);
    this.#inbox = new Inbox(log, host.limits, {
      held: (isHeld) => {
        if (isHeld) this.#agent.hold("log");
        else this.#agent.release("log");
      },
      failed: (error) => host.report(id, "Events could not be appended to the log.", error),
      appended: (drafts, chunk) => {
        if (!this.#summary.note(drafts, chunk)) return;
        const notify = () => host.changed(this);
        if (chunk.last <= log.visible) notify();
        else void log.whenDurable(chunk.last).then(notify, () => {});
      },
    });
    this.#rate = new UpdateRate(host.limits, host.strict, {
      hold: () => this.#agent.hold("rate"),
      release: () => this.#agent.release("rate"),
      note: (message) => this.#inbox.gather({ kind: "error", code: "message-too-large", message }),
    });
    this.#sizes = new PromptSizes(host, (note) => this.record(note));
    this.#agentRequests = new AgentRequests(host, {
      id,
      facts,
      running: () => this.#agent.lastAgent,
      isOver: () => isOver(this.state.now),
      record: (...events) => this.record(...events),
    });
    this.#turns = new Turns({
      id,
      agentId: facts.agent,
      host,
      log,
      queue: this.#queue,
      agent: this.#agent,
      agentRequests: this.#agentRequests,
      inbox: this.#inbox,
      state: this.state,
      record: (...events) => this.record(...events),
      changed: () => this.changed(),
      view: () => this.view(),
      endAgent: (run) => void this.#endAgent(run),
    });
  }

  get summary(): SessionSummary {
    const summary = this.#summary.visible;
    return this.#lacksEnds ? { ...summary, state: "idle" } : summary;
  }

  /** Whether its log contains its whole state. */
  get isDormant(): boolean {
    return isDormant(this.state.now) && this.#inbox.refusal === null && !this.#agentRequests.isBusy;
  }

  async view(): Promise<SessionView> {
    const view = await this.#host.viewOf(this.log);
    return this.#interruption ? interruptedView(view, this.#interruption) : view;
  }

  /**
   * Records the missing end events, and sends queued prompts if the config says so. Returns false if the log refused
   * them; then they precede the next event.
   */
  recover(): boolean {
    try {
      if (this.#lacksEnds) this.record();
    } catch (error) {
      this.#host.report(this.id, "Could not record the missing end events.", error);
      return false;
    }
    if (this.#host.resumeQueue) this.#turns.resume();
    return true;
  }

  record(...given: EventBody[]): void {
    const ends = this.#lacksEnds ? (this.#interruption?.ends ?? []) : [];
    this.#inbox.record(given, ends);
    if (this.#lacksEnds) this.state.apply("log-completed");
    for (const event of [...ends, ...given]) this.#queue.note(event);
  }

  get #lacksEnds(): boolean {
    return this.state.now.log === "interrupted";
  }

  async prompt(promptId: string, content: Content, by: string): Promise<void> {
    const recalled = this.#queue.recall();
    if (recalled) await recalled;
    // A known prompt was accepted before, even if the session has closed since.
    if (isOver(this.state.now) && this.#queue.has(promptId)) return;
    this.#mustBeOpen();
    if (!this.#queue.has(promptId)) {
      this.#queue.mustHaveRoom();
      this.#sizes.check(this.#facts.agentSessionId, content);
      this.record({ kind: "prompt-queued", promptId, content, by });
    }
    this.#agent.forgiveCrashes();
    this.#turns.resume();
    await this.#safe();
  }

  changePrompt(promptId: string, content: Content, by: string): Promise<void> {
    return this.#changeQueue({ kind: "prompt-changed", promptId, content, by });
  }

  withdrawPrompt(promptId: string, by: string): Promise<void> {
    return this.#changeQueue({ kind: "prompt-withdrawn", promptId, by });
  }

  movePrompt(promptId: string, before: string | null, by: string): Promise<void> {
    return this.#changeQueue({ kind: "prompt-moved", promptId, before, by });
  }

  async #changeQueue(event: PromptChanged | PromptMoved | PromptWithdrawn): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    this.#queue.mustWait(event.promptId);
    const before = event.kind === "prompt-moved" ? event.before : null;
    if (before !== null) this.#queue.mustWait(before);
    if (event.kind === "prompt-changed")
      this.#sizes.check(this.#facts.agentSessionId, event.content);
    if (before !== event.promptId) this.record(event);
    await this.#safe();
  }

  async cancel(by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    this.#turns.current?.cancel(by);
  }

  async answer(askId: string, outcome: AskSettled["outcome"], by: string, note?: string) {
    const content = note === undefined ? null : this.#noteContent(askId, outcome, note);
    this.#agentRequests.asks.answer(askId, outcome, by, note);
    const result = content === null ? {} : { promptId: this.#queueFirst(content, by) };
    this.changed();
    await this.#safe();
    return result;
  }

  suggestRules(askId: string): Promise<RuleSuggestions> {
    return this.#agentRequests.asks.suggestRules(askId);
  }

  async setMode(modeId: string, by: string): Promise<void> {
    await this.#choose((options) => chooseMode(options, modeId), by);
  }

  async setConfig(
    configId: string,
    value: string | boolean,
    by: string,
    isRemembered = false,
  ): Promise<void> {
    await this.#choose((options) => chooseConfig(options, configId, value), by);
    const { agent, options } = this.#facts;
    if (isRemembered) await this.#host.lastChoices.note(agent, configId, options);
  }

  async rename(title: string | null, by: string): Promise<void> {
    this.record({ kind: "session-changed", title, by });
    await this.#safe();
  }

  fork(by: string): Promise<Session> {
    const { log } = this;
    return this.#host.fork(this, by, () =>
      this.#using(() => copyInAgent(this.#agent, log, this.#turns)),
    );
  }

  async close(by: string): Promise<void> {
    if (this.#summary.session.closedAt !== null && this.isDormant) return;
    this.state.apply("close");
    await this.#halt(by);
    try {
      this.record({ kind: "session-closed", by });
    } finally {
      this.state.apply("closed");
      this.changed();
    }
    await this.#safe();
  }

  /**
   * Starts the agent of a new session and applies its first choices. If it must wait for a slot, it resolves early,
   * and a failure is recorded in the log.
   */
  async start(request: Pick<OpenRequest, "config" | "by">): Promise<void> {
    const waiting = Promise.withResolvers<"waiting">();
    this.#onWait = () => waiting.resolve("waiting");
    this.state.apply("open");
    const started = this.#begin(request).finally(() => {
      this.state.apply("opened");
      this.#turns.drain();
    });
    if ((await Promise.race([started, waiting.promise])) !== "waiting") return;
    started.catch((error: unknown) => {
      if (!isOver(this.state.now)) this.record(errorEvent(asLandlineError(error)));
    });
  }

  async #begin({ config = [], by }: Pick<OpenRequest, "config" | "by">): Promise<void> {
    const run = await this.#agent.ensure();
    await makeFirstChoices(config, {
      options: () => (this.#agent.run === run ? this.#facts.options : null),
      choose: (configId, value) =>
        this.#choose((options) => chooseConfig(options, configId, value), by),
      record: (note) => this.record(note),
    });
  }

  /** Resolves when no agent process is ending. */
  agentLeft(): Promise<void> {
    return this.#agent.left();
  }

  /** Null while no agent runs. */
  pause(): PausedAgent | null {
    const { run } = this.#agent;
    if (!run || this.state.now.access !== "open") return null;
    this.state.apply("pause");
    return {
      signOut: () => this.#agent.signOut(run),
      wasStopped: () => run.wasStopped,
      end: async (by) => {
        if (this.#agent.run === run) await this.#agent.retire(run, { because: "signed-out", by });
        // The agent may be ending by itself.
        else await this.#agent.left();
      },
      [Symbol.dispose]: () => {
        this.state.apply("resume");
        this.#turns.drain();
      },
    };
  }

  /** Stops the session in this gateway. The log remains. */
  async stop(by = "gateway"): Promise<void> {
    this.state.apply("stop");
    await this.#halt(by);
    this.#rate.close();
    this.#inbox.close();
  }

  update(given: AgentUpdate, child: string | null): void {
    const { update, raw } = given;
    this.#inbox.update(given, child);
    this.#rate.count(raw.length);
    this.#agentRequests.noteUpdate(update, child);
    if (child !== null) return;
    this.#facts.options = optionsAfter(this.#facts.options, update);
  }

  notification(method: string, params: unknown): void {
    const { elicitationId } = (params ?? {}) as { elicitationId?: unknown };
    if (method !== "elicitation/complete" || typeof elicitationId !== "string") return;
    this.#inbox.startReading();
    if (this.#agentRequests.asks.complete(elicitationId)) this.changed();
  }

  async request(request: AgentRequest, child: string | null): Promise<void> {
    this.#inbox.startReading();
    const answer = this.#agentRequests.handle(request, child);
    if (this.#agentRequests.asks.openCount > 0) this.changed();
    try {
      request.answer(await answer);
    } catch (error) {
      // The agent does not receive internal details. They go to the gateway's log.
      if (!(error instanceof LandlineError))
        this.#host.report(this.id, `${request.method} failed.`, error);
      throw error;
    } finally {
      this.changed();
    }
  }

  noise({ lines, count, reason }: NoiseReport): void {
    this.#inbox.gather({ kind: "agent-noise", lines, count, reason });
  }

  flush(): void {
    this.#inbox.flush();
    if (this.#turns.current) this.#turns.current.heard();
    else this.#agent.used();
  }

  gone(): void {
    if (this.#agent.run) void this.#endAgent(this.#agent.run);
  }

  agentWaits(running: number, limit: number): void {
    this.record({ kind: "agent-waiting", running, limit });
    this.#onWait();
    this.changed();
  }

  isIdle(): boolean {
    return isQuiet(this.state.now) && !this.#agentRequests.isBusy;
  }

  created(created: SetAside): void {
    void this.#agentRequests.askAboutCreated(created).finally(() => this.changed());
  }

  agentEnded(): void {
    this.#agentRequests.agentGone();
  }

  /** Checked before the ask is settled: if the note cannot be sent, the ask stays open. */
  #noteContent(askId: string, outcome: AskSettled["outcome"], text: string): Content {
    const content: Content = [{ type: "text", text }];
    this.#mustBeOpen();
    this.#agentRequests.asks.mustReject(askId, outcome);
    this.#queue.mustHaveRoom();
    this.#sizes.check(this.#facts.agentSessionId, content);
    return content;
  }

  #queueFirst(content: Content, by: string): string {
    const promptId = randomUUIDv7();
    const { first } = this.#queue;
    const queued = { kind: "prompt-queued", promptId, content, by } as const;
    const moved = { kind: "prompt-moved", promptId, before: first?.promptId ?? null, by } as const;
    this.record(queued, ...(first ? [moved] : []));
    this.#agent.forgiveCrashes();
    this.#turns.resume();
    return promptId;
  }

  /** Cancels the turn and ends the agent. */
  async #halt(by: string): Promise<void> {
    this.#turns.current?.cancel(by);
    this.#agent.stopWaiting();
    const run = await this.#agent.arrived();
    if (run) await this.#endAgent(run);
    // An agent may be ending, and its exit must be recorded.
    else await this.#agent.left();
    await this.#agentRequests.close();
    this.#inbox.flush();
  }

  /** Ends the agent if necessary, records its exit, and ends its turn. */
  async #endAgent(run: AgentRun): Promise<void> {
    if (this.#agent.run !== run) return;
    const turn = this.#turns.current;
    // An exit during a sign-out is not a crash.
    const isExpected = this.state.now.access === "paused";
    const exit = await this.#agent.retire(run);
    const isCrash = !isExpected && !isOver(this.state.now) && !turn?.cancelling;
    // After too many crashes, queued prompts wait for a person.
    if (isCrash && !this.#agent.noteCrash()) this.#turns.pause();
    if (turn) this.#turns.agentGone(turn, exit);
    this.changed();
  }

  async #choose(choiceOf: (options: Options) => Choice, by: string): Promise<void> {
    if (this.state.now.access === "paused") await this.#host.paused.over(this.#facts.agent);
    this.#mustBeOpen();
    // The missing end events precede everything from the new agent.
    if (this.#lacksEnds) this.record();
    await this.#using(() => this.#agent.choose(choiceOf));
    this.record(optionsEvent(this.#facts.options, by));
    await this.#safe();
  }

  /** Runs a command during which the agent is not idle. */
  async #using<Result>(use: () => Promise<Result>): Promise<Result> {
    this.state.apply("command-begun");
    try {
      return await use();
    } finally {
      this.state.apply("command-over");
      this.#agent.used();
    }
  }

  /** A command is acknowledged only after its events are durable. */
  #safe(): Promise<void> | undefined {
    if (this.#inbox.refusal) throw this.#inbox.refusal;
    const { head, visible } = this.log;
    return visible < head ? this.log.whenDurable(head) : undefined;
  }

  changed(): void {
    this.#agent.used();
    this.#host.changed(this);
  }

  #mustBeOpen(): void {
    if (isOver(this.state.now)) throw new LandlineError("session-closed");
  }
}
