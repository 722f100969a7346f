import { randomUUIDv7 } from "node:crypto";
import type { ContentBlock, Implementation } from "@agentclientprotocol/sdk";
import {
  LandlineError,
  type AskSettled,
  type EventBody,
  type SessionSummary,
  type SessionView,
} from "@landline/protocol";
import type { RunningAgent } from "../agents/agent.ts";
import type { AgentRequest } from "../agents/connection/agent-request.ts";
import type { AgentUpdate } from "../agents/connection/message.ts";
import type { NoiseReport } from "../agents/connection/noise.ts";
import type { RuleSuggestions } from "../duties/suggest-rules.ts";
import { isDeed } from "../log/deed.ts";
import type { SessionLog } from "../log/log.ts";
import type { AgentSession } from "./agent-session.ts";
import { SessionDuties } from "./duties.ts";
import { noteEvent, noteUpdate, summaryOf, type Facts } from "./facts.ts";
import type { ForkPoint } from "./fork.ts";
import { Inbox } from "./inbox.ts";
import { PromptSizes } from "./message-size.ts";
import { isChosen, optionsEvent, withoutChoice } from "./options.ts";
import { missingEnds } from "./recovery.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { SessionAgent, type SessionAgentOwner } from "./session-agent.ts";
import type { RestingAgent } from "./resting-agents.ts";
import type { SessionHost } from "./session-host.ts";
import type { OpenRequest, Session } from "./sessions.ts";
import { Turns } from "./turns.ts";
import { UpdateRate } from "./update-rate.ts";

type Content = readonly ContentBlock[];

export interface SessionParts {
  readonly id: string;
  readonly log: SessionLog;
  readonly facts: Facts;
  /** What the log says, when it is not a new one. */
  readonly view?: SessionView;
}

/**
 * One conversation, as an actor: everything about it happens in order, one turn at a time, and everything
 * that happens is in its log before anybody sees it. It outlives its agent: an agent that ends is
 * started again by the next prompt.
 */
export class LiveSession implements Session, SessionAgentOwner {
  readonly id: string;
  readonly log: SessionLog;
  readonly #host: SessionHost;
  readonly #facts: Facts;
  readonly #inbox: Inbox;
  readonly #queue: PromptQueue;
  readonly #duties: SessionDuties;
  readonly #rate: UpdateRate;
  readonly #sizes: PromptSizes;
  readonly #agent: SessionAgent;
  readonly #turns: Turns;
  /** The agent that was started last. */
  #running: Pick<RunningAgent, "mark" | "quirks"> | null = null;
  /** What belongs into the log before anything else. */
  #unwritten: readonly EventBody[] = [];
  #isClosing = false;
  #resting: PromiseWithResolvers<void> | null = null;

  constructor(host: SessionHost, { id, log, facts, view }: SessionParts) {
    this.id = id;
    this.log = log;
    this.#host = host;
    this.#facts = facts;
    this.#queue = new PromptQueue(host.limits, log, view);
    this.#agent = new SessionAgent(host, facts, this);
    this.#inbox = new Inbox(log, host.limits, (held) => {
      if (held) this.#agent.current?.hold("log");
      else this.#agent.current?.release("log");
    });
    this.#rate = new UpdateRate(host.limits, host.strict, {
      hold: () => this.#agent.current?.hold("rate"),
      release: () => this.#agent.current?.release("rate"),
      note: (message) => this.#inbox.gather({ kind: "error", code: "message-too-large", message }),
    });
    this.#sizes = new PromptSizes(host, (note) => this.record(note));
    this.#duties = new SessionDuties(host, {
      id,
      facts,
      running: () => this.#running,
      record: (...events) => this.record(...events),
    });
    this.#turns = new Turns({
      id,
      agentId: facts.agent,
      host,
      queue: this.#queue,
      agent: this.#agent,
      duties: this.#duties,
      inbox: this.#inbox,
      isOpen: () => !this.#isClosing && this.#resting === null,
      record: (...events) => this.record(...events),
      changed: () => this.#changed(),
      view: () => this.view(),
      endAgent: (agent) => void this.#endAgent(agent),
    });
    if (view) this.#recover(view);
  }

  get summary(): SessionSummary {
    return summaryOf(this.id, this.#facts, this.log.visible, this.#shownState());
  }

  /** Whether nothing of it is in memory that is not in its log. */
  get isDormant(): boolean {
    return this.#agent.isAbsent && this.#turns.current === null;
  }

  /** Whether the log lacks the ends of what was cut short, because it could not be written to. */
  get lacksEnds(): boolean {
    return this.#unwritten.length > 0;
  }

  /** The id of its agent in the catalog. */
  get agentId(): string {
    return this.#facts.agent;
  }

  /** Whether its agent has something to do, or is just being started. */
  get isWorking(): boolean {
    return this.#turns.current !== null || this.#agent.isStarting;
  }

  /** Of a session that was read from its log; `info`: the agent that it had. */
  endChoices(info: Implementation | null): Promise<void> {
    return this.#agent.endChoices(info);
  }

  view(): Promise<SessionView> {
    return this.#host.viewOf(this.log);
  }

  record(...given: EventBody[]): void {
    const events = [...this.#unwritten, ...given];
    this.#inbox.record(events);
    this.#unwritten = [];
    const { blobBytes } = this.#host.limits;
    for (const event of events) noteEvent(this.#facts, event, blobBytes);
    if (this.#turns.current || events.some(isDeed)) this.#facts.lastAt = Date.now();
  }

  async prompt(promptId: string, content: Content, by: string): Promise<void> {
    const recalled = this.#queue.recall();
    if (recalled) await recalled;
    // One that is known was accepted, whatever became of the session since.
    if (this.#isClosing && this.#queue.has(promptId)) return;
    this.#mustBeOpen();
    if (!this.#queue.has(promptId)) {
      this.#queue.mustHaveRoom();
      this.#sizes.check(this.#facts.agentSessionId, content);
      this.record({ kind: "prompt-queued", promptId, content, by });
      this.#queue.add({ promptId, content });
    }
    this.#agent.forgiveCrashes();
    this.#turns.resume();
    await this.#safe();
  }

  async changePrompt(promptId: string, content: Content, by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    const prompt = this.#queue.waiting(promptId);
    this.#sizes.check(this.#facts.agentSessionId, content);
    this.record({ kind: "prompt-changed", promptId, content, by });
    prompt.content = content;
    await this.#safe();
  }

  async withdrawPrompt(promptId: string, by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    this.#queue.waiting(promptId);
    this.record({ kind: "prompt-withdrawn", promptId, by });
    this.#queue.remove(promptId);
    await this.#safe();
  }

  async movePrompt(promptId: string, before: string | null, by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    this.#queue.waiting(promptId);
    if (before !== null) this.#queue.waiting(before);
    if (before !== promptId) this.record({ kind: "prompt-moved", promptId, before, by });
    this.#queue.move(promptId, before);
    await this.#safe();
  }

  async cancel(by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    this.#turns.current?.cancel(by);
  }

  async answer(askId: string, outcome: AskSettled["outcome"], by: string, note?: string) {
    const content = note === undefined ? null : this.#noteContent(askId, outcome, note);
    this.#duties.asks.answer(askId, outcome, by, note);
    const result = content === null ? {} : { promptId: this.#queueFirst(content, by) };
    this.#changed();
    await this.#safe();
    return result;
  }

  suggestRules(askId: string): Promise<RuleSuggestions> {
    return this.#duties.asks.suggestRules(askId);
  }

  async setMode(modeId: string, by: string): Promise<void> {
    await this.#choose(async (agent) => agent.setMode(modeId), by);
  }

  async setConfig(
    configId: string,
    value: string | boolean,
    by: string,
    isRemembered = false,
  ): Promise<void> {
    await this.#choose(async (agent) => agent.setConfig(configId, value), by);
    const { agent, options } = this.#facts;
    if (isRemembered) await this.#host.chosen(agent, configId, options);
  }

  async rename(title: string | null, by: string): Promise<void> {
    this.record({ kind: "session-changed", title, by });
    this.#facts.title = title;
    this.#facts.titledByPerson = title !== null;
    this.#changed();
    await this.#safe();
  }

  fork(by: string): Promise<Session> {
    return this.#host.fork(this, this.#facts, by, () => this.#copyInAgent());
  }

  async close(by: string): Promise<void> {
    if (this.#facts.closedAt !== null && this.isDormant) return;
    await this.#halt();
    this.record({ kind: "session-closed", by });
    this.#facts.closedAt = Date.now();
    this.#isClosing = false;
    this.#changed();
    await this.#safe();
  }

  /** Starts the agent, for a session that was just opened, and makes the choices that it was opened with. */
  async start(config: NonNullable<OpenRequest["config"]>): Promise<void> {
    const agent = await this.#agent.ensure();
    for (const { configId, value } of config) {
      if (isChosen(agent.choices, configId, value)) continue;
      try {
        await this.#choose((current) => current.setConfig(configId, value), "gateway");
      } catch (error) {
        if (!(error instanceof LandlineError)) throw error;
        this.record(withoutChoice(configId, value, error));
        // One that hangs, or has ended, is asked nothing more.
        if (error.code === "timeout" || this.#agent.current !== agent) return;
      }
    }
  }

  /** Null while no agent runs. */
  rest(): RestingAgent | null {
    const agent = this.#agent.current;
    if (!agent) return null;
    const resting = Promise.withResolvers<void>();
    this.#resting = resting;
    return {
      signOut: () => agent.signOut(),
      wasStopped: () => agent.wasStopped,
      end: async () => {
        if (this.#agent.current === agent) await this.#agent.retire(agent);
        // It may be about to end by itself.
        else await this.#agent.left();
      },
      [Symbol.dispose]: () => {
        this.#resting = null;
        resting.resolve();
        this.#turns.drain();
      },
    };
  }

  /** The end of it in this gateway: the log stays. */
  async stop(): Promise<void> {
    await this.#halt();
    this.#rate.close();
    this.#inbox.close();
  }

  update(given: AgentUpdate, child: string | null): void {
    const { update, raw } = given;
    this.#inbox.update(given, child);
    this.#rate.count(raw.length);
    this.#duties.noteUpdate(update, child);
    if (child !== null) return;
    const { options } = this.#facts;
    if (noteUpdate(this.#facts, update)) this.#changed();
    if (this.#facts.options !== options) this.#agent.current?.noteChoices(this.#facts.options);
  }

  running(agent: Pick<RunningAgent, "mark" | "quirks">): void {
    this.#running = agent;
  }

  notification(method: string, params: unknown): void {
    const { elicitationId } = (params ?? {}) as { elicitationId?: unknown };
    if (method !== "elicitation/complete" || typeof elicitationId !== "string") return;
    this.#inbox.startReading();
    if (this.#duties.asks.complete(elicitationId)) this.#changed();
  }

  async request(request: AgentRequest, child: string | null): Promise<void> {
    this.#inbox.startReading();
    const answer = this.#duties.handle(request, child);
    if (this.#duties.asks.openCount > 0) this.#changed();
    try {
      request.answer(await answer);
    } catch (error) {
      // The agent is told as little as possible; what went wrong inside is for the gateway's own log.
      if (!(error instanceof LandlineError))
        this.#host.report(this.id, `${request.method} failed.`, error);
      throw error;
    } finally {
      this.#changed();
    }
  }

  noise({ lines, count, reason }: NoiseReport): void {
    this.#inbox.gather({ kind: "agent-noise", lines, count, reason });
  }

  flush(): void {
    this.#inbox.flush();
    if (!this.#turns.current) return;
    this.#facts.lastAt = Date.now();
    this.#turns.current.heard();
  }

  gone(): void {
    const agent = this.#agent.current;
    if (agent) void this.#endAgent(agent);
  }

  agentStarted(): void {
    this.#changed();
  }

  agentEnded(): void {
    this.#duties.agentGone();
  }

  async #copyInAgent(): Promise<ForkPoint | null> {
    const { changes } = this.#turns;
    let head = 0;
    let isSure = false;
    const copy = await this.#agent.current?.fork(() => {
      ({ head } = this.log);
      // Nobody can say what the copy knows of a turn that began or ended while it was made.
      isSure = this.#turns.changes === changes;
    });
    return copy ? { head, agentSessionId: isSure ? copy.id : null, letGo: copy.letGo } : null;
  }

  /** Looked at before the ask is settled: a note that can't be sent leaves it open. */
  #noteContent(askId: string, outcome: AskSettled["outcome"], text: string): Content {
    const content: Content = [{ type: "text", text }];
    this.#mustBeOpen();
    this.#duties.asks.mustReject(askId, outcome);
    this.#queue.mustHaveRoom();
    this.#sizes.check(this.#facts.agentSessionId, content);
    return content;
  }

  #queueFirst(content: Content, by: string): string {
    const promptId = randomUUIDv7();
    const { first } = this.#queue;
    const queued = { kind: "prompt-queued", promptId, content, by } as const;
    if (first) {
      const before = first.promptId;
      this.record(queued, { kind: "prompt-moved", promptId, before, by });
    } else this.record(queued);
    this.#queue.add({ promptId, content });
    this.#queue.move(promptId, first?.promptId ?? null);
    this.#agent.forgiveCrashes();
    this.#turns.resume();
    return promptId;
  }

  /** Cancels what runs and ends the agent. */
  async #halt(): Promise<void> {
    this.#isClosing = true;
    this.#turns.current?.cancel("gateway");
    const agent = await this.#agent.arrived();
    if (agent) await this.#endAgent(agent);
    // Or one is just being ended, and the log has to be told how.
    else await this.#agent.left();
    await this.#duties.close();
    this.#inbox.flush();
  }

  #recover(view: SessionView): void {
    const ends = missingEnds(view);
    try {
      if (ends.length > 0) this.record(...ends);
    } catch (error) {
      // On a full disk the session can still be read. They come before whatever is written next.
      this.#unwritten = ends;
      this.#host.report(this.id, "What was cut short could not be ended in the log.", error);
    }
    this.#turns.drain();
  }

  /** Ends the agent if it has not ended, and tells how; a turn that ran under it is over. */
  async #endAgent(agent: AgentSession): Promise<void> {
    if (this.#agent.current !== agent) return;
    const turn = this.#turns.current;
    // One that is signed out of may well end.
    const isExpected = this.#resting !== null;
    const exit = await this.#agent.retire(agent);
    const isCrash = !isExpected && !this.#isClosing && !turn?.cancelling;
    // Too often, and what waits in the queue waits for a person.
    if (isCrash && !this.#agent.noteCrash()) this.#turns.pause();
    if (turn) this.#turns.agentGone(turn, exit);
    this.#changed();
  }

  async #choose(
    choose: (agent: AgentSession) => Promise<Facts["options"]>,
    _by: string,
  ): Promise<void> {
    if (this.#resting) await this.#resting.promise;
    this.#mustBeOpen();
    this.#facts.options = await choose(await this.#agent.ensure());
    this.record(optionsEvent(this.#facts.options));
    await this.#safe();
  }

  /** Nobody is told that a command was carried out before what it caused is kept as this gateway promises. */
  #safe(): Promise<void> | undefined {
    const { head, visible } = this.log;
    return visible < head ? this.log.whenDurable(head) : undefined;
  }

  #shownState(): SessionSummary["state"] {
    if (this.#duties.asks.openCount > 0) return "needs-answer";
    const turn = this.#turns.current;
    if (!turn) return "idle";
    return turn.stalled ? "stalled" : "running";
  }

  #changed(): void {
    this.#host.changed(this);
  }

  #mustBeOpen(): void {
    if (this.#isClosing) throw new LandlineError("session-closed");
  }
}
