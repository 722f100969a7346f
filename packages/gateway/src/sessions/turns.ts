import { randomUUIDv7 } from "node:crypto";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
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
import { asLandlineError, exitError } from "../agents/exit-error.ts";
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
  readonly duties: AgentRequests;
  readonly inbox: Inbox;
  readonly state: StateMachine;
  record(...events: EventBody[]): void;
  changed(): void;
  view(): Promise<SessionView>;
  /** The last rung of the ladder. */
  endAgent(run: AgentRun): void;
}

/**
 * The turns of a session: one at a time, and behind it the queue, which drains with nobody watching. What
 * can't be begun makes those behind it wait for a person. A turn that began has an end in the log.
 */
export class Turns {
  readonly #owner: TurnsOwner;
  #turn: Turn | null = null;
  #changes = 0;

  constructor(owner: TurnsOwner) {
    this.#owner = owner;
    // Prompts that waited when the gateway ended are not sent without a person or the config.
    if (owner.queue.length > 0) this.pause();
  }

  get current(): Turn | null {
    return this.#turn;
  }

  /** How often a turn has begun or ended. */
  get changes(): number {
    return this.#changes;
  }

  /** A person wants the queue to continue, or the config does. */
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

  /** The agent that the turn ran under is gone. */
  agentGone(turn: Turn, exit: AgentExit): void {
    if (this.#turn !== turn) return;
    if (turn.cancelling && !turn.expired) this.#end(turn, { stopReason: "cancelled" });
    else this.#fail(turn, exitError(exit));
  }

  /** A turn begins with its event. One that the log refuses has not begun: its prompt waits for a person. */
  #begin({ promptId, content, isOfView }: QueuedPrompt): void {
    const { id, host, duties, state } = this.#owner;
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
      isWaitingForUs: () => duties.isBusy || state.now.agent === "waiting",
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

  /** What can't be begun fails the turn, and would fail those behind it: they wait for a person. */
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
      // One real agent says yes to a resume, and then knows no such session. The prompt was not taken.
      const isDeadEnd = outcome.error?.code === "session-not-found" && wentBack(run);
      if (isDeadEnd && this.#turn === turn && !turn.cancelling)
        void this.#attempt(turn, () => this.#sendOtherwise(run, turn, content));
      else {
        const error = promptAnswered(host, agentId, outcome.error);
        this.#settle(turn, error ? { error } : outcome);
      }
    });
    // What could not be sent was settled at once, and outside of any read.
    if (turn.requestId === null) inbox.flush();
  }

  /** To an agent that goes back to the conversation in another way. */
  async #sendOtherwise(run: AgentRun, turn: Turn, content: Content): Promise<void> {
    this.#owner.agent.noteDeadEnd(run);
    await this.#owner.agent.retire(run);
    if (this.#turn === turn) await this.#send(turn, content);
  }

  /** An agent that could not go back to the conversation is given it as text with its first prompt. */
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
    // The agent is gone: what becomes of the turn is told together with how it ended. An agent that lives
    // may say the same of a connection of its own.
    if (error?.code === "connection-lost" && !("agentCode" in error.data)) return;
    const created = this.#owner.agent.created();
    if (created === null) this.#settled(turn, outcome);
    else void this.#settleAfter(created, turn, outcome);
  }

  /** Waits for the answer of the person about protected places that the agent created, unless the turn is cancelled. */
  async #settleAfter(
    looking: Promise<SetAside | null>,
    turn: Turn,
    outcome: CallOutcome,
  ): Promise<void> {
    const created = await looking;
    if (created !== null) {
      const { duties } = this.#owner;
      const answered = duties.askAboutCreated(created).finally(() => this.#owner.changed());
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

  /** The end of a turn leaves nothing open: asks are settled, terminals released. */
  #end(turn: Turn, end: Omit<TurnEnded, "kind" | "turnId">): void {
    if (this.#turn !== turn) return;
    turn.end();
    this.#owner.state.apply("turn-over");
    this.#turn = null;
    this.#changes++;
    this.#owner.duties.endTurn(turn.cancelling ? "turn-cancelled" : "turn-ended");
    this.#owner.record({ kind: "turn-ended", turnId: turn.turnId, ...end });
    this.#owner.host.metrics.turnsEnded.add(end.stopReason);
    this.#owner.changed();
    // Not within the read that ended it: what the agent says right behind belongs to this turn.
    setImmediate(() => this.drain());
  }

  #climb(turn: Turn, rung: NonNullable<TurnChanged["rung"]>, by: string): void {
    this.#changed(turn, { state: "cancelling", rung, by });
    this.#owner.duties.endTurn("turn-cancelled");
    const { agent } = this.#owner;
    agent.stopWaiting();
    // An agent that is held for its rate could not be heard obeying.
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
