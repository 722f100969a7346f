import { randomUUIDv7 } from "node:crypto";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  asLandlineError,
  LandlineError,
  type EventBody,
  type SessionView,
  type TurnChanged,
  type TurnEnded,
} from "@landline/protocol";
import type { SetAside } from "@landline/sandbox";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { AgentExit } from "../agents/agent.ts";
import type { CallOutcome } from "../acp-connection/calls.ts";
import type { AgentRequests } from "./agent-requests.ts";
import { exitError } from "../agents/exit-error.ts";
import type { SessionLog } from "../log/log.ts";
import type { Inbox } from "./inbox.ts";
import { wholeContent } from "./long-texts.ts";
import type { PromptQueue, QueuedPrompt } from "./prompt-queue.ts";
import type { AgentLink } from "./agent-link.ts";
import { wentBack, type AgentRun } from "./agent-run.ts";
import { promptAnswered, type SessionHost } from "./session-host.ts";
import { mayBegin, type StateMachine } from "./session-state.ts";
import { transcriptBlock } from "./transcript.ts";
import { Turn } from "./turn.ts";

type Content = readonly ContentBlock[];

export interface TurnsOwner {
  readonly id: string;
  /** The id of the agent in the catalog. */
  readonly agentId: string;
  readonly host: SessionHost;
  readonly log: SessionLog;
  readonly queue: PromptQueue;
  readonly agent: AgentLink;
  readonly agentRequests: AgentRequests;
  readonly inbox: Inbox;
  readonly state: StateMachine;
  record(...events: EventBody[]): void;
  changed(): void;
  view(): Promise<SessionView>;
  /** The last step of the cancel ladder. */
  endAgent(run: AgentRun): void;
}

/**
 * The turns of a session: one at a time, then the queue, which continues without clients. If a turn cannot begin, the
 * queue waits for a person. Every turn that began has an end in the log.
 */
export class Turns {
  readonly #owner: TurnsOwner;
  #turn: Turn | null = null;
  #changes = 0;

  constructor(owner: TurnsOwner) {
    this.#owner = owner;
    // Queued prompts of an earlier gateway are sent only if a person or the config asks for it.
    if (owner.queue.length > 0) this.pause();
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
    this.#owner.state.apply("queue-resumed");
    this.drain();
  }

  pause(): void {
    this.#owner.state.apply("queue-paused");
  }

  drain(): void {
    if (!mayBegin(this.#owner.state.now)) return;
    const { first } = this.#owner.queue;
    if (first) this.#begin(first);
  }

  /** The agent of the turn ended. */
  agentGone(turn: Turn, exit: AgentExit): void {
    if (this.#turn !== turn) return;
    if (turn.cancelling && !turn.expired) this.#end(turn, { stopReason: "cancelled" });
    else this.#fail(turn, exitError(exit));
  }

  /** A turn begins with its event. If the log refuses it, the prompt waits for a person. */
  #begin({ promptId, content, isOfView }: QueuedPrompt): void {
    const { id, host, agentRequests, state } = this.#owner;
    const turnId = randomUUIDv7();
    try {
      this.#owner.record({ kind: "turn-started", turnId, promptId });
    } catch (error) {
      this.pause();
      host.report(id, "A turn could not begin.", error);
      return;
    }
    state.apply("turn-begun");
    const turn = new Turn(turnId, host.limits, {
      climb: (rung, by) => this.#climb(turn, rung, by),
      stall: () => this.#changed(turn, { state: "stalled" }),
      revive: () => this.#changed(turn, { state: "running" }),
      expire: () => turn.cancel("gateway"),
      isWaitingForUs: () => agentRequests.isBusy || state.now.agent === "waiting",
    });
    this.#turn = turn;
    this.#changes++;
    host.metrics.turnsStarted.add();
    this.#owner.changed();
    const { log } = this.#owner;
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
    const { agent, agentId, host, inbox } = this.#owner;
    const run = await agent.ensure();
    const prompt = await this.#contentFor(run, content);
    if (turn.cancelling) {
      this.#end(turn, { stopReason: "cancelled" });
      return;
    }
    turn.requestId = agent.prompt(run, prompt, (outcome) => {
      // One agent accepts a resume and then reports an unknown session. It did not process the prompt.
      const isDeadEnd = outcome.error?.code === "session-not-found" && wentBack(run);
      if (isDeadEnd && this.#turn === turn && !turn.cancelling)
        void this.#attempt(turn, () => this.#sendOtherwise(run, turn, content));
      else {
        const error = promptAnswered(host, agentId, outcome.error);
        this.#settle(turn, error ? { error } : outcome);
      }
    });
    // A prompt that could not be sent was settled synchronously, outside of a read.
    if (turn.requestId === null) inbox.flush();
  }

  /** Sends the prompt again after restoring the session in another way. */
  async #sendOtherwise(run: AgentRun, turn: Turn, content: Content): Promise<void> {
    this.#owner.agent.noteDeadEnd(run);
    await this.#owner.agent.retire(run);
    if (this.#turn === turn) await this.#send(turn, content);
  }

  /** Adds the transcript to the first prompt of an agent that could not restore the session. */
  async #contentFor(run: AgentRun, content: Content): Promise<Content> {
    if (!run.needsTranscript) return content;
    run.needsTranscript = false;
    const embedded = run.agent?.capabilities.promptCapabilities?.embeddedContext === true;
    const { id, host } = this.#owner;
    const view = await this.#owner.view();
    const transcript = transcriptBlock(view, id, host.limits.transcriptLength, embedded);
    return transcript ? [transcript, ...content] : content;
  }

  #settle(turn: Turn, outcome: CallOutcome): void {
    if (this.#turn !== turn) return;
    this.#owner.inbox.startReading();
    const { error } = outcome;
    // The agent's exit ends the turn in `agentGone`. `agentCode` marks an error that a running agent reported.
    if (error?.code === "connection-lost" && !("agentCode" in error.data)) return;
    const created = this.#owner.agent.created();
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
      const { agentRequests } = this.#owner;
      const answered = agentRequests.askAboutCreated(created).finally(() => this.#owner.changed());
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
    this.#owner.record({ kind: "error", code, message, help });
    this.#end(turn, { stopReason: "failed", error: { code, message } });
  }

  /** Ends the turn, settles its asks and releases its terminals. */
  #end(turn: Turn, end: Omit<TurnEnded, "kind" | "turnId">): void {
    if (this.#turn !== turn) return;
    turn.end();
    this.#owner.state.apply("turn-over");
    this.#turn = null;
    this.#changes++;
    this.#owner.agentRequests.endTurn(turn.cancelling ? "turn-cancelled" : "turn-ended");
    this.#owner.record({ kind: "turn-ended", turnId: turn.turnId, ...end });
    this.#owner.host.metrics.turnsEnded.add(end.stopReason);
    this.#owner.changed();
    // Later, because the remaining updates of this read belong to this turn.
    setImmediate(() => this.drain());
  }

  #climb(turn: Turn, rung: NonNullable<TurnChanged["rung"]>, by: string): void {
    this.#changed(turn, { state: "cancelling", rung, by });
    this.#owner.agentRequests.endTurn("turn-cancelled");
    const { agent } = this.#owner;
    agent.stopWaiting();
    // Resume reading, so that the agent's response to the cancel is received.
    agent.release("rate");
    if (rung === "cancel") agent.cancel();
    else if (rung === "cancel-request" && turn.requestId !== null)
      agent.cancelRequest(turn.requestId);
    else if (rung === "restart" && agent.run) this.#owner.endAgent(agent.run);
  }

  #changed(turn: Turn, change: Omit<TurnChanged, "kind" | "turnId">): void {
    if (this.#turn !== turn) return;
    this.#owner.record({ kind: "turn-changed", turnId: turn.turnId, ...change });
    this.#owner.changed();
  }
}
