import { randomUUIDv7 } from "node:crypto";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  asLandlineError,
  LandlineError,
  type TurnChanged,
  type TurnEnded,
} from "@landline/protocol";
import type { SetAside } from "@landline/sandbox";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { AgentExit } from "../agents/agent.ts";
import type { CallOutcome } from "../acp-connection/calls.ts";
import type { AgentRequests } from "./agent-requests.ts";
import { exitError } from "../agents/exit-error.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { wholeContent } from "./long-texts.ts";
import type { PromptQueue, QueuedPrompt } from "./prompt-queue.ts";
import type { AgentLink } from "./agent-link.ts";
import { didRestore, type AgentRun } from "./agent-run.ts";
import type { Recorder } from "./recorder.ts";
import { promptAnswered, type SessionHost } from "./session-host.ts";
import { isOver, mayBegin, type StateMachine } from "./session-state.ts";
import { transcriptBlock } from "./transcript.ts";
import { Turn } from "./turn.ts";

type Content = readonly ContentBlock[];

export interface TurnsOptions {
  readonly host: SessionHost;
  readonly settings: AgentSettings;
  readonly state: StateMachine;
  readonly recorder: Recorder;
  readonly queue: PromptQueue;
  readonly agent: AgentLink;
  readonly agentRequests: AgentRequests;
  readonly changed: () => void;
}

/**
 * The turns of a session: one at a time, then the queue, which continues without clients. If a turn cannot begin, the
 * queue waits for a person. Every turn that began has an end in the log.
 */
export class Turns {
  readonly #options: TurnsOptions;
  #turn: Turn | null = null;
  #changes = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
    // Queued prompts of an earlier gateway are sent only if a person or the config asks for it.
    if (options.queue.length > 0) this.pause();
  }

  get current(): Turn | null {
    return this.#turn;
  }

  /** The number of starts and ends of turns. */
  get changes(): number {
    return this.#changes;
  }

  /** A person or the config asks to continue the queue. */
  resume(): void {
    this.#options.state.apply("queue-resumed");
    this.drain();
  }

  pause(): void {
    this.#options.state.apply("queue-paused");
  }

  drain(): void {
    if (!mayBegin(this.#options.state.now)) return;
    const { first } = this.#options.queue;
    if (first) this.#begin(first);
  }

  /** Ends the agent if necessary, records its exit, and ends its turn. */
  async endAgent(run: AgentRun): Promise<void> {
    const { agent, state } = this.#options;
    if (agent.run !== run) return;
    const turn = this.#turn;
    // An exit during a sign-out is not a crash.
    const isExpected = state.now.access === "paused";
    const exit = await agent.retire(run);
    const isCrash = !isExpected && !isOver(state.now) && !turn?.cancelling;
    // After too many crashes, queued prompts wait for a person.
    if (isCrash && !agent.noteCrash()) this.pause();
    if (turn) this.#agentGone(turn, exit);
    this.#options.changed();
  }

  #agentGone(turn: Turn, exit: AgentExit): void {
    if (turn.cancelling && !turn.expired) this.#end(turn, { stopReason: "cancelled" });
    else this.#fail(turn, exitError(exit));
  }

  /** A turn begins with its event. If the log refuses it, the prompt waits for a person. */
  #begin({ promptId, content, isOfView }: QueuedPrompt): void {
    const { host, agentRequests, recorder, state } = this.#options;
    const { log } = recorder;
    const turnId = randomUUIDv7();
    try {
      recorder.record({ kind: "turn-started", turnId, promptId });
    } catch (error) {
      this.pause();
      host.report(log.sessionId, "A turn could not begin.", error);
      return;
    }
    state.apply("turn-begun");
    const turn = new Turn(turnId, promptId, host.limits, {
      climb: (rung, by) => this.#climb(turn, rung, by),
      stall: () => this.#changed(turn, { state: "stalled" }),
      revive: () => this.#changed(turn, { state: "running" }),
      expire: () => turn.cancel("gateway"),
      isWaitingForUs: () => agentRequests.isBusy || state.now.agent === "waiting",
    });
    this.#turn = turn;
    this.#changes++;
    host.metrics.turnsStarted.add();
    this.#options.changed();
    void this.#attempt(turn, async () =>
      this.#send(turn, isOfView ? await wholeContent(content, log) : content),
    );
  }

  /** An error fails the turn. The queue waits for a person, because later prompts would fail too. */
  async #attempt(turn: Turn, begin: () => Promise<void>): Promise<void> {
    try {
      await begin();
    } catch (error) {
      if (turn.cancelling && !turn.expired) return this.#end(turn, { stopReason: "cancelled" });
      this.#fail(turn, turn.expired ? new LandlineError("timeout") : asLandlineError(error));
      this.pause();
    }
  }

  async #send(turn: Turn, content: Content): Promise<void> {
    const { agent, settings, host, recorder } = this.#options;
    const run = await agent.ensure();
    const prompt = await this.#contentFor(run, content);
    if (turn.cancelling) {
      this.#end(turn, { stopReason: "cancelled" });
      return;
    }
    turn.requestId = agent.prompt(run, prompt, (outcome) => {
      // One agent accepts a resume and then reports an unknown session. It did not process the prompt.
      const isDeadEnd = outcome.error?.code === "session-not-found" && didRestore(run);
      if (isDeadEnd && this.#turn === turn && !turn.cancelling)
        void this.#attempt(turn, () => this.#sendOtherwise(run, turn, content));
      else {
        const error = promptAnswered(host, settings.agent, outcome.error);
        this.#settle(turn, error ? { error } : outcome);
      }
    });
    // A prompt that could not be sent was settled synchronously, outside a read.
    if (turn.requestId === null) recorder.inbox.flush();
  }

  /** Sends the prompt again after restoring the session in another way. */
  async #sendOtherwise(run: AgentRun, turn: Turn, content: Content): Promise<void> {
    this.#options.agent.noteDeadEnd(run);
    await this.#options.agent.retire(run);
    if (this.#turn === turn) await this.#send(turn, content);
  }

  /** Adds the transcript to the first prompt of an agent that could not restore the session. */
  async #contentFor(run: AgentRun, content: Content): Promise<Content> {
    if (!run.needsTranscript) return content;
    run.needsTranscript = false;
    const embedded = run.agent?.capabilities.promptCapabilities?.embeddedContext === true;
    const { host, recorder } = this.#options;
    const view = await recorder.view();
    const transcript = transcriptBlock(
      view,
      recorder.log.sessionId,
      host.limits.transcriptLength,
      embedded,
    );
    return transcript ? [transcript, ...content] : content;
  }

  #settle(turn: Turn, outcome: CallOutcome): void {
    if (this.#turn !== turn) return;
    this.#options.recorder.inbox.startReading();
    const { error } = outcome;
    // The agent's exit ends the turn in `endAgent`. `agentCode` marks an error that a running agent reported.
    if (error?.code === "connection-lost" && !("agentCode" in error.data)) return;
    const created = this.#options.agent.created();
    if (created === null) this.#settled(turn, outcome);
    else void this.#settleAfter(created, turn, outcome);
  }

  /** Waits until a person answers about protected places that the agent created, or the turn is cancelled. */
  async #settleAfter(
    search: Promise<SetAside | null>,
    turn: Turn,
    outcome: CallOutcome,
  ): Promise<void> {
    const created = await search;
    if (created !== null) {
      const { agentRequests, changed } = this.#options;
      const answered = agentRequests.askAboutCreated(created).finally(changed);
      await unlessAborted(answered, turn.cancelled).catch(() => undefined);
    }
    this.#settled(turn, outcome);
  }

  #settled(turn: Turn, { result, error }: CallOutcome): void {
    if (this.#turn !== turn) return;
    if (!error) {
      const { stopReason, usage } = result as { stopReason: "end_turn"; usage?: object };
      if (turn.expired) this.#fail(turn, new LandlineError("timeout"));
      else this.#end(turn, { stopReason, ...(usage && { usage }) });
    } else if (turn.cancelling && !turn.expired) this.#end(turn, { stopReason: "cancelled" });
    else this.#fail(turn, turn.expired ? new LandlineError("timeout") : error);
  }

  #fail(turn: Turn, { code, message, help }: LandlineError): void {
    if (this.#turn !== turn) return;
    this.#options.recorder.record({ kind: "error", code, message, help });
    this.#end(turn, { stopReason: "failed", error: { code, message } });
  }

  /** Ends the turn, settles its asks and releases its terminals. */
  #end(turn: Turn, end: Omit<TurnEnded, "kind" | "turnId">): void {
    if (this.#turn !== turn) return;
    turn.end();
    this.#options.state.apply("turn-over");
    this.#turn = null;
    this.#changes++;
    this.#options.agentRequests.endTurn(turn.cancelling ? "turn-cancelled" : "turn-ended");
    this.#options.recorder.record({ kind: "turn-ended", turnId: turn.turnId, ...end });
    this.#options.host.metrics.turnsEnded.add(end.stopReason);
    this.#options.changed();
    // Later, because the remaining updates of this read belong to this turn.
    setImmediate(() => this.drain());
  }

  #climb(turn: Turn, rung: NonNullable<TurnChanged["rung"]>, by: string): void {
    this.#changed(turn, { state: "cancelling", rung, by });
    this.#options.agentRequests.endTurn("turn-cancelled");
    const { agent } = this.#options;
    agent.stopWaiting();
    // Resume reading, so that the agent's response to the cancel is received.
    agent.release("rate");
    if (rung === "cancel") agent.cancel();
    else if (rung === "cancel-request" && turn.requestId !== null)
      agent.cancelRequest(turn.requestId);
    else if (rung === "restart" && agent.run) void this.endAgent(agent.run);
  }

  #changed(turn: Turn, change: Omit<TurnChanged, "kind" | "turnId">): void {
    if (this.#turn !== turn) return;
    this.#options.recorder.record({ kind: "turn-changed", turnId: turn.turnId, ...change });
    this.#options.changed();
  }
}
