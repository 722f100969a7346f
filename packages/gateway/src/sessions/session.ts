import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  asLandlineError,
  type AskSettled,
  type EventBody,
  type SessionSummary,
  type SessionView,
} from "@landline/protocol";
import type { RuleSuggestions } from "../acp-client/permissions/suggest-rules.ts";
import type { SessionLog } from "../log/log.ts";
import type { PausedAgent } from "../sign-in/paused-agent.ts";
import { AgentLink } from "./agent-link.ts";
import { AgentMessages } from "./agent-messages.ts";
import { AgentRequests } from "./agent-requests.ts";
import { ExtensionMethods } from "./extension-methods.ts";
import { OptionCommands } from "./option-commands.ts";
import { copyInAgent } from "./fork.ts";
import type { SessionParts } from "./parts-from-log.ts";
import { PromptQueue } from "./prompt-queue.ts";
import { Prompts } from "./prompts.ts";
import { Recorder } from "./recorder.ts";
import type { SessionHost } from "./session-host.ts";
import { isDormant, isOver, mustBeOpen, StateMachine } from "./session-state.ts";
import type { OpenRequest, Session } from "./sessions.ts";
import { errorEvent } from "./started-events.ts";
import { Turns } from "./turns.ts";

type Content = readonly ContentBlock[];

/**
 * One session, as an actor: commands run in order, one turn runs at a time, and every event is in the log before
 * anyone sees it. A session outlives its agent: the next prompt starts the agent again.
 */
export class LiveSession implements Session {
  readonly id: string;
  readonly log: SessionLog;
  readonly state = new StateMachine();
  readonly extensions: ExtensionMethods;
  readonly #host: SessionHost;
  readonly #settings: SessionParts["settings"];
  readonly #queue: PromptQueue;
  readonly #recorder: Recorder;
  readonly #agentRequests: AgentRequests;
  readonly #agent: AgentLink;
  readonly #turns: Turns;
  readonly #messages: AgentMessages;
  readonly #prompts: Prompts;
  readonly #optionCommands: OptionCommands;
  #onWait = () => {};

  constructor(host: SessionHost, parts: SessionParts) {
    const { state } = this;
    const { log, settings, before } = parts;
    const changed = () => this.#changed();
    const queue = new PromptQueue(host.limits, log, before?.view);
    const recorder = new Recorder(parts, {
      host,
      state,
      queue,
      held: (isHeld) => {
        if (isHeld) this.#agent.hold("log");
        else this.#agent.release("log");
      },
    });
    const agentRequests = new AgentRequests(host, {
      id: log.sessionId,
      settings,
      running: () => this.#agent.lastAgent,
      isOver: () => isOver(state.now),
      record: (...events) => recorder.record(...events),
    });
    const shared = { host, settings, state, recorder, queue, agentRequests, changed };
    const agent = new AgentLink({
      ...shared,
      messages: () => this.#messages,
      gone: (run) => void this.#turns.endAgent(run),
      waits: (running, limit) => {
        recorder.record({ kind: "agent-waiting", running, limit });
        this.#onWait();
        changed();
      },
    });
    const turns = new Turns({ ...shared, agent });
    this.id = log.sessionId;
    this.log = log;
    this.#host = host;
    this.#settings = settings;
    this.#queue = queue;
    this.#recorder = recorder;
    this.#agentRequests = agentRequests;
    this.#agent = agent;
    this.#turns = turns;
    this.#messages = new AgentMessages({ ...shared, agent, turns });
    this.#prompts = new Prompts({ ...shared, agent, turns });
    this.#optionCommands = new OptionCommands({ ...shared, agent });
    this.extensions = new ExtensionMethods({ ...shared, agent });
  }

  get summary(): SessionSummary {
    return this.#recorder.summary;
  }

  /** Whether its log contains its whole state, and no command is under way. */
  get isDormant(): boolean {
    const isBusy = this.#agentRequests.isBusy || this.#queue.recalling !== null;
    return isDormant(this.state.now) && this.#recorder.inbox.refusal === null && !isBusy;
  }

  view(): Promise<SessionView> {
    return this.#recorder.view();
  }

  record(...events: EventBody[]): void {
    this.#recorder.record(...events);
  }

  /**
   * Records the missing end events, and sends queued prompts if the config says so. Returns false if the log refused
   * them; then they precede the next event.
   */
  recover(): boolean {
    try {
      this.#recorder.recordEnds();
    } catch (error) {
      this.#host.report(this.id, "Could not record the missing end events.", error);
      return false;
    }
    if (this.#host.resumeQueue) this.#turns.resume();
    return true;
  }

  prompt(promptId: string, content: Content, by: string): Promise<boolean> {
    return this.#prompts.add(promptId, content, by);
  }

  changePrompt(promptId: string, content: Content, by: string): Promise<void> {
    return this.#prompts.change({ kind: "prompt-changed", promptId, content, by });
  }

  withdrawPrompt(promptId: string, by: string): Promise<void> {
    return this.#prompts.change({ kind: "prompt-withdrawn", promptId, by });
  }

  movePrompt(promptId: string, before: string | null, by: string): Promise<void> {
    return this.#prompts.change({ kind: "prompt-moved", promptId, before, by });
  }

  async cancel(by: string, promptId?: string): Promise<void> {
    if (this.#queue.recalling) await this.#queue.recalling;
    const turn = this.#turns.current;
    if (promptId === undefined) turn?.cancel(by);
    else if (this.#queue.isWaiting(promptId)) await this.withdrawPrompt(promptId, by);
    else if (turn?.promptId === promptId && !turn.cancelling) turn.cancel(by);
  }

  async answer(askId: string, outcome: AskSettled["outcome"], by: string, note?: string) {
    const content = note === undefined ? null : this.#noteContent(askId, outcome, note);
    this.#agentRequests.asks.answer(askId, outcome, by, note);
    const result = content === null ? {} : { promptId: this.#prompts.addFirst(content, by) };
    this.#changed();
    await this.#recorder.whenDurable();
    return result;
  }

  /** Checked before the ask is settled: if the note cannot be sent, the ask stays open. */
  #noteContent(askId: string, outcome: AskSettled["outcome"], text: string): Content {
    mustBeOpen(this.state.now);
    this.#agentRequests.asks.mustReject(askId, outcome);
    return this.#prompts.noteContent(text);
  }

  suggestRules(askId: string): Promise<RuleSuggestions> {
    return this.#agentRequests.asks.suggestRules(askId);
  }

  setMode(modeId: string, by: string): Promise<void> {
    return this.#optionCommands.setMode(modeId, by);
  }

  async setConfig(
    configId: string,
    value: string | boolean,
    by: string,
    isRemembered = false,
  ): Promise<void> {
    await this.#optionCommands.setConfig(configId, value, by);
    if (isRemembered) await this.#optionCommands.remember(configId);
  }

  async rename(title: string | null, by: string): Promise<void> {
    this.record({ kind: "session-changed", title, by });
    await this.#recorder.whenDurable();
  }

  fork(by: string): Promise<Session> {
    return this.#host.fork(this.#recorder, by, () =>
      copyInAgent(this.#agent, this.log, this.#turns),
    );
  }

  async close(by: string): Promise<void> {
    if (this.#recorder.isClosed && this.isDormant) return;
    this.state.apply("close");
    await this.#halt(by, "close");
    try {
      this.record({ kind: "session-closed", by });
    } finally {
      this.state.apply("closed");
      this.#changed();
    }
    await this.#recorder.whenDurable();
  }

  /**
   * Starts the agent of a new session and applies its initial options. If it must wait for a slot, it resolves early,
   * and a failure is recorded in the log.
   */
  async start(request: Pick<OpenRequest, "config" | "by">): Promise<void> {
    const waiting = Promise.withResolvers<"waiting">();
    this.#onWait = () => waiting.resolve("waiting");
    this.state.apply("open");
    const started = this.#optionCommands.applyInitial(request).finally(() => {
      this.state.apply("opened");
      this.#turns.drain();
    });
    if ((await Promise.race([started, waiting.promise])) !== "waiting") return;
    started.catch((error: unknown) => {
      if (!isOver(this.state.now)) this.record(errorEvent(asLandlineError(error)));
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

  /**
   * Stops the session, and deletes it in its agent if that runs. Returns the agent's own session if an agent that is
   * started for it can delete it.
   */
  async stopForDeletion(by: string) {
    const isDeleted = await this.stop(by, "delete");
    const { agent, agentSessionId } = this.#settings;
    const { capabilities } = (await this.view()).agent;
    const canDelete = !isDeleted && capabilities?.sessionCapabilities?.delete;
    return canDelete && agentSessionId !== null ? { agent, agentSessionId } : null;
  }

  /** Stops the session in this gateway. The log remains. */
  async stop(by = "gateway", leaving?: "delete"): Promise<boolean> {
    this.state.apply("stop");
    const hasLeft = await this.#halt(by, leaving);
    this.#messages.close();
    this.#recorder.inbox.close();
    return hasLeft;
  }

  /** Cancels the turn and ends the agent. Returns whether the agent closed or deleted its session before. */
  async #halt(by: string, leaving?: "close" | "delete"): Promise<boolean> {
    this.#turns.current?.cancel(by);
    const hasLeft = leaving !== undefined && (await this.#agent.leave(leaving));
    this.#agent.stopWaiting();
    const run = await this.#agent.arrived();
    if (run) await this.#turns.endAgent(run);
    // An agent may be ending, and its exit must be recorded.
    else await this.#agent.left();
    await this.#agentRequests.close();
    this.#recorder.inbox.flush();
    return hasLeft;
  }

  #changed(): void {
    this.#agent.used();
    this.#recorder.notifyWatchers();
  }
}
