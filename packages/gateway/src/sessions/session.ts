import { randomUUIDv7 } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  LandlineError,
  type AskSettled,
  type EventBody,
  type Limits,
  type SessionSummary,
  type SessionView,
  type TurnChanged,
  type TurnEnded,
} from "@landline/protocol";
import type { AgentExit, RunningAgent } from "../agents/agent.ts";
import type { AgentRequest } from "../agents/connection/agent-request.ts";
import type { CallOutcome } from "../agents/connection/calls.ts";
import type { AgentUpdate } from "../agents/connection/message.ts";
import type { NoiseReport } from "../agents/connection/noise.ts";
import { RestartPolicy } from "../agents/restart-policy.ts";
import type { SessionLog } from "../log/log.ts";
import type { AgentSession, AgentSessionOwner } from "./agent-session.ts";
import { SessionDuties } from "./duties.ts";
import { asLandlineError, exitError } from "./exit-error.ts";
import { summaryOf, noteUpdate, type Facts } from "./facts.ts";
import { Inbox } from "./inbox.ts";
import { PromptSizes } from "./message-size.ts";
import { optionsEvent } from "./options.ts";
import { missingEnds } from "./recovery.ts";
import { PromptQueue, type QueuedPrompt } from "./prompt-queue.ts";
import type { SessionHost } from "./session-host.ts";
import type { Session } from "./sessions.ts";
import { startedEvents } from "./started-events.ts";
import { transcriptBlock } from "./transcript.ts";
import { Turn } from "./turn.ts";
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
export class LiveSession implements Session, AgentSessionOwner {
  readonly id: string;
  readonly log: SessionLog;
  readonly #host: SessionHost;
  readonly #limits: Limits;
  readonly #facts: Facts;
  readonly #inbox: Inbox;
  readonly #queue: PromptQueue;
  readonly #duties: SessionDuties;
  readonly #rate: UpdateRate;
  readonly #sizes: PromptSizes;
  #agent: AgentSession | null = null;
  /** The agent that was started last. */
  #running: Pick<RunningAgent, "mark" | "quirks"> | null = null;
  readonly #deadEnds = new Set<AgentSession["how"]>();
  #starting: Promise<AgentSession> | null = null;
  readonly #restarts: RestartPolicy;
  #restartDelayMs = 0;
  #turn: Turn | null = null;
  #state: "open" | "closing" | "closed" = "open";
  /** Prompts that waited when the gateway ended wait for a person. */
  #paused: boolean;

  constructor(host: SessionHost, { id, log, facts, view }: SessionParts) {
    this.id = id;
    this.log = log;
    this.#host = host;
    this.#limits = host.limits;
    this.#restarts = new RestartPolicy(host.limits);
    this.#facts = facts;
    this.#queue = new PromptQueue(host.limits, log, view);
    this.#paused = this.#queue.length > 0 && !host.resumeQueue;
    this.#inbox = new Inbox(log, host.limits, (held) => {
      if (held) this.#agent?.hold("log");
      else this.#agent?.release("log");
    });
    this.#rate = new UpdateRate(host.limits, host.strict, {
      hold: () => this.#agent?.hold("rate"),
      release: () => this.#agent?.release("rate"),
      note: (message) => this.#inbox.gather({ kind: "error", code: "message-too-large", message }),
    });
    this.#sizes = new PromptSizes(host, (note) => this.record(note));
    this.#duties = new SessionDuties(host, {
      id,
      facts,
      running: () => this.#running,
      record: (...events) => this.record(...events),
    });
    if (view) this.#recover(view);
  }

  get summary(): SessionSummary {
    return summaryOf(this.id, this.#facts, this.log.head, this.#shownState());
  }

  /** Whether nothing of it is in memory that is not in its log. */
  get isDormant(): boolean {
    return this.#agent === null && this.#starting === null && this.#turn === null;
  }

  view(): Promise<SessionView> {
    return this.#host.viewOf(this.log);
  }

  record(...events: EventBody[]): void {
    this.#inbox.record(events);
    this.#facts.lastAt = Date.now();
  }

  async prompt(promptId: string, content: Content, by: string): Promise<void> {
    const recalled = this.#queue.recall();
    if (recalled) await recalled;
    this.#mustBeOpen();
    if (!this.#queue.has(promptId)) {
      this.#queue.mustHaveRoom();
      this.#sizes.check(this.#facts.agentSessionId, content);
      this.record({ kind: "prompt-queued", promptId, content, by });
      this.#queue.add({ promptId, content });
    }
    this.#paused = false;
    if (this.#restarts.stopped) this.#restarts.reset();
    this.#drain();
  }

  async changePrompt(promptId: string, content: Content, by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    const prompt = this.#queue.waiting(promptId);
    this.#sizes.check(this.#facts.agentSessionId, content);
    this.record({ kind: "prompt-changed", promptId, content, by });
    prompt.content = content;
  }

  async withdrawPrompt(promptId: string, by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    this.#queue.waiting(promptId);
    this.record({ kind: "prompt-withdrawn", promptId, by });
    this.#queue.remove(promptId);
  }

  async cancel(by: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    this.#turn?.cancel(by);
  }

  async answer(askId: string, outcome: AskSettled["outcome"], by: string): Promise<void> {
    this.#duties.asks.answer(askId, outcome, by);
    this.#changed();
  }

  async setMode(modeId: string, by: string): Promise<void> {
    await this.#choose(async (agent) => agent.setMode(modeId), by);
  }

  async setConfig(configId: string, value: string | boolean, by: string): Promise<void> {
    await this.#choose(async (agent) => agent.setConfig(configId, value), by);
  }

  async rename(title: string | null, by: string): Promise<void> {
    this.record({ kind: "session-changed", title, by });
    this.#facts.title = title;
    this.#facts.titledByPerson = title !== null;
    this.#changed();
  }

  fork(by: string): Promise<Session> {
    return this.#host.fork(this, this.#facts, by, async () => this.#agent?.fork() ?? null);
  }

  async close(by: string): Promise<void> {
    if (this.#facts.closedAt !== null && this.isDormant) return;
    await this.#halt();
    this.record({ kind: "session-closed", by });
    this.#facts.closedAt = Date.now();
    this.#state = "open";
    this.#changed();
  }

  /** Starts the agent, for a session that was just opened. */
  async start(): Promise<void> {
    await this.#ensureAgent();
  }

  /** The end of it in this gateway: the log stays. */
  async stop(): Promise<void> {
    await this.#halt();
    this.#rate.close();
    this.#inbox.close();
  }

  update({ update, raw }: AgentUpdate, child: string | null): void {
    this.#inbox.gather(child === null ? { kind: "update", raw } : { kind: "update", raw, child });
    this.#rate.count(raw.length);
    if (child !== null) return;
    const { options } = this.#facts;
    if (noteUpdate(this.#facts, update)) this.#changed();
    if (this.#facts.options !== options) this.#agent?.noteChoices(this.#facts.options);
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
    if (this.#duties.asks.open.length > 0) this.#changed();
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
    this.#facts.lastAt = Date.now();
    this.#turn?.heard();
  }

  gone(): void {
    const agent = this.#agent;
    if (agent) void this.#agentGone(agent);
  }

  /** Cancels what runs and ends the agent. */
  async #halt(): Promise<void> {
    this.#state = "closing";
    this.#turn?.cancel("gateway");
    const agent = this.#agent ?? (await this.#starting?.catch(() => null)) ?? null;
    if (agent) await this.#agentGone(agent);
    await this.#duties.close();
    this.#inbox.flush();
  }

  #recover(view: SessionView): void {
    const ends = missingEnds(view);
    if (ends.length > 0) this.record(...ends);
    this.#drain();
  }

  #drain(): void {
    if (this.#turn || this.#paused || this.#state !== "open") return;
    const prompt = this.#queue.next();
    if (prompt) void this.#runTurn(prompt);
  }

  async #runTurn({ promptId, content }: QueuedPrompt): Promise<void> {
    const turn = new Turn(randomUUIDv7(), promptId, this.#limits, {
      climb: (rung, by) => this.#climb(turn, rung, by),
      stall: () => this.#turnChanged(turn, { state: "stalled" }),
      revive: () => this.#turnChanged(turn, { state: "running" }),
      expire: () => turn.cancel("gateway"),
      isWaitingForUs: () => this.#duties.isBusy,
    });
    this.#turn = turn;
    await this.#tryTurn(turn, async () => {
      this.record({ kind: "turn-started", turnId: turn.turnId, promptId });
      this.#host.metrics.turnsStarted.add();
      this.#changed();
      await this.#send(turn, content);
    });
  }

  /** What can't be begun fails the turn, and would fail those behind it: they wait for a person. */
  async #tryTurn(turn: Turn, begin: () => Promise<void>): Promise<void> {
    try {
      await begin();
    } catch (error) {
      this.#failTurn(turn, asLandlineError(error));
      this.#paused = true;
    }
  }

  async #send(turn: Turn, content: Content): Promise<void> {
    const agent = await this.#ensureAgent();
    const prompt = await this.#contentFor(agent, content);
    if (turn.cancelling) {
      this.#endTurn(turn, { stopReason: "cancelled" });
      return;
    }
    turn.requestId = agent.prompt(prompt, (outcome) => {
      // One real agent says yes to a resume, and then knows no such session. The prompt was not taken.
      const isDeadEnd = outcome.error?.code === "session-not-found" && agent.wentBack;
      if (isDeadEnd && this.#turn === turn && !turn.cancelling)
        void this.#tryTurn(turn, () => this.#sendOtherwise(agent, turn, content));
      else {
        const error = this.#host.promptAnswered(this.#facts.agent, outcome.error);
        this.#settleTurn(turn, error ? { error } : outcome);
      }
    });
    // What could not be sent was settled at once, and outside of any read.
    if (turn.requestId === null) this.#inbox.flush();
  }

  /** To an agent that goes back to the conversation in another way. */
  async #sendOtherwise(agent: AgentSession, turn: Turn, content: Content): Promise<void> {
    this.#deadEnds.add(agent.how);
    await this.#retire(agent);
    if (this.#turn === turn) await this.#send(turn, content);
  }

  /** An agent that could not go back to the conversation is given it as text with its first prompt. */
  async #contentFor(agent: AgentSession, content: Content): Promise<readonly ContentBlock[]> {
    if (!agent.needsTranscript) return content;
    agent.needsTranscript = false;
    const embedded = agent.capabilities.promptCapabilities?.embeddedContext === true;
    const transcript = transcriptBlock(
      await this.view(),
      this.id,
      this.#limits.transcriptLength,
      embedded,
    );
    return transcript ? [transcript, ...content] : content;
  }

  #settleTurn(turn: Turn, { result, error }: CallOutcome): void {
    if (this.#turn !== turn) return;
    this.#inbox.startReading();
    // The agent is gone: what becomes of the turn is told together with how it ended. An agent that lives
    // may say the same of a connection of its own.
    if (error?.code === "connection-lost" && !("agentCode" in error.data)) return;
    if (!error) {
      const { stopReason, usage } = result as { stopReason: "end_turn"; usage?: object };
      if (turn.expired) this.#failTurn(turn, new LandlineError("timeout"));
      else this.#endTurn(turn, { stopReason, ...(usage && { usage }) });
    } else if (turn.cancelling && !turn.expired) this.#endTurn(turn, { stopReason: "cancelled" });
    else this.#failTurn(turn, turn.expired ? new LandlineError("timeout") : error);
  }

  #failTurn(turn: Turn, error: LandlineError): void {
    const { code, message, help } = error;
    if (this.#turn !== turn) return;
    this.record({ kind: "error", code, message, help });
    this.#endTurn(turn, { stopReason: "failed", error: { code, message } });
  }

  /** The end of a turn leaves nothing open: asks are settled, terminals released. */
  #endTurn(turn: Turn, end: Omit<TurnEnded, "kind" | "turnId">): void {
    turn.end();
    this.#turn = null;
    this.#duties.endTurn(turn.cancelling ? "turn-cancelled" : "turn-ended");
    this.record({ kind: "turn-ended", turnId: turn.turnId, ...end });
    this.#host.metrics.turnsEnded.add(end.stopReason);
    this.#changed();
    // Not within the read that ended it: what the agent says right behind belongs to this turn.
    setImmediate(() => this.#drain());
  }

  #climb(turn: Turn, rung: NonNullable<TurnChanged["rung"]>, by: string): void {
    this.#turnChanged(turn, { state: "cancelling", rung, by });
    this.#duties.endTurn("turn-cancelled");
    const agent = this.#agent;
    // An agent that is held for its rate could not be heard obeying.
    agent?.release("rate");
    if (rung === "cancel") agent?.cancel();
    else if (rung === "cancel-request" && turn.requestId !== null)
      agent?.cancelRequest(turn.requestId);
    else if (rung === "restart" && agent) void this.#agentGone(agent);
  }

  #turnChanged(turn: Turn, change: Omit<TurnChanged, "kind" | "turnId">): void {
    if (this.#turn !== turn) return;
    this.record({ kind: "turn-changed", turnId: turn.turnId, ...change });
    this.#changed();
  }

  #ensureAgent(): Promise<AgentSession> {
    if (this.#agent) return Promise.resolve(this.#agent);
    this.#starting ??= this.#startAgent().finally(() => (this.#starting = null));
    return this.#starting;
  }

  async #startAgent(): Promise<AgentSession> {
    const { agentSessionId, forked, options } = this.#facts;
    const known = forked ? null : agentSessionId;
    const before =
      agentSessionId === null ? null : { agentSessionId: known, options, deadEnds: this.#deadEnds };
    // One that keeps ending is not started again and again.
    if (this.#restartDelayMs > 0) await sleep(this.#restartDelayMs);
    this.#restartDelayMs = 0;
    const agent = await this.#host.startAgent(this.id, this.#facts, before, this);
    if (this.#state !== "open" && this.#state !== "closing")
      throw new LandlineError("session-closed");
    this.#agent = agent;
    this.#host.metrics.agentsRunning.add(this.#facts.agent, 1);
    this.#facts.agentSessionId = agent.id;
    this.#facts.forked = false;
    this.#facts.options = agent.choices;
    this.#facts.closedAt = null;
    this.record(...startedEvents(agent));
    agent.begin();
    this.#changed();
    return agent;
  }

  /** Ends the agent if it has not ended, and tells how; a turn that ran under it is over. */
  async #agentGone(agent: AgentSession): Promise<void> {
    if (this.#agent !== agent) return;
    const turn = this.#turn;
    const exit = await this.#retire(agent);
    if (this.#state === "open" && !turn?.cancelling) this.#noteCrash();
    if (turn && this.#turn === turn) {
      if (turn.cancelling && !turn.expired) this.#endTurn(turn, { stopReason: "cancelled" });
      else this.#failTurn(turn, exitError(exit));
    }
    this.#changed();
  }

  /** It ended by itself. Too often, and what waits in the queue waits for a person. */
  #noteCrash(): void {
    this.#host.metrics.agentsCrashed.add(this.#facts.agent);
    this.#restartDelayMs = this.#restarts.nextDelayMs();
    if (this.#restarts.stopped) this.#paused = true;
  }

  async #retire(agent: AgentSession): Promise<AgentExit> {
    this.#agent = null;
    this.#host.metrics.agentsRunning.add(this.#facts.agent, -1);
    const exit = await agent.stop();
    this.#duties.agentGone();
    this.record({ kind: "agent-exited", ...exit });
    return exit;
  }

  async #choose(
    choose: (agent: AgentSession) => Promise<Facts["options"]>,
    _by: string,
  ): Promise<void> {
    this.#mustBeOpen();
    this.#facts.options = await choose(await this.#ensureAgent());
    this.record(optionsEvent(this.#facts.options));
  }

  #shownState(): SessionSummary["state"] {
    if (this.#duties.asks.open.length > 0) return "needs-answer";
    if (!this.#turn) return "idle";
    return this.#turn.stalled ? "stalled" : "running";
  }

  #changed(): void {
    this.#host.changed(this);
  }

  #mustBeOpen(): void {
    if (this.#state !== "open") throw new LandlineError("session-closed");
  }
}
