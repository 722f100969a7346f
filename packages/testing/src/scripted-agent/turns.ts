/**
 * Runs prompts as turns: one per session at a time, unless the scenario says otherwise. A queued prompt starts when the
 * one before it was answered. Each prompt is answered at most once.
 */
import { randomUUID } from "node:crypto";
import { responseOf, type PromptResult } from "./prompt-result.ts";
import { isObject, type JsonObject } from "./json.ts";
import { optionValues } from "./options.ts";
import type { Output } from "./output.ts";
import type { RequestId } from "./peer.ts";
import { pickTurn } from "./pick-turn.ts";
import { playSteps } from "./play-steps.ts";
import type { CancelHabit, Scenario, Turn } from "./scenario.ts";
import type { Session } from "./sessions.ts";
import {
  filled,
  ScenarioFault,
  TurnEnded,
  type Connection,
  type StepContext,
} from "./step-context.ts";
import { UnknownNameError } from "./template.ts";
import { forEver, waitMs } from "./delays.ts";

interface Running {
  readonly requestId: RequestId;
  readonly session: Session;
  readonly turn: Turn;
  readonly context: StepContext;
  readonly controller: AbortController;
  answered: boolean;
}

interface Waiting {
  readonly requestId: RequestId;
  readonly session: Session;
  readonly params: JsonObject;
}

/** Why a turn was stopped, and the answer to its prompt. */
class Stopped extends Error {
  readonly habit: CancelHabit;

  constructor(habit: CancelHabit) {
    super("the turn was stopped");
    this.habit = habit;
  }
}

export class Turns {
  readonly #scenario: Scenario;
  readonly #connection: Connection;
  readonly #clientInfo: () => JsonObject;
  readonly #running = new Set<Running>();
  readonly #waiting: Waiting[] = [];
  /** Aborted when the connection closes: nothing is answered after that. */
  readonly #gone: AbortSignal;

  constructor(
    scenario: Scenario,
    connection: Connection,
    clientInfo: () => JsonObject,
    gone: AbortSignal,
  ) {
    this.#scenario = scenario;
    this.#connection = connection;
    this.#clientInfo = clientInfo;
    this.#gone = gone;
  }

  get busy(): boolean {
    return this.#running.size > 0;
  }

  prompt(requestId: RequestId, session: Session, params: JsonObject): void {
    const first = this.#runningIn(session);
    const habit = this.#scenario.secondPrompt ?? "queue";
    if (first === undefined || habit === "parallel") this.#start(requestId, session, params);
    else if (typeof habit === "object" && "reject" in habit) {
      this.#connection.peer.respond(requestId, { error: habit.reject });
    } else if (habit !== "never") {
      this.#waiting.push({ requestId, session, params });
      if (habit === "cancelFirst") this.#stop(first, { end: "cancelled" });
      if (typeof habit === "object") this.#stop(first, { end: { error: habit.failFirst } });
    }
  }

  cancel(sessionId: string): void {
    for (const running of this.#running) {
      if (running.session.id !== sessionId) continue;
      const habit = running.turn.cancel ?? this.#scenario.cancel ?? {};
      if (habit.habit === "ignore") continue;
      if (habit.afterMs === undefined) this.#stop(running, habit);
      else void this.#stopLater(running, habit, habit.afterMs);
    }
  }

  /** Answers a prompt, running or waiting, with -32800. */
  cancelRequest(requestId: unknown): void {
    const error = { code: -32800, message: "Request cancelled" };
    for (const running of this.#running) {
      if (running.requestId === requestId) this.#stop(running, { end: { error } });
    }
    const index = this.#waiting.findIndex((waiting) => waiting.requestId === requestId);
    const [waiting] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (waiting !== undefined) this.#connection.peer.respond(waiting.requestId, { error });
  }

  /** The context of steps outside a turn, such as those around an answer. */
  contextOf(session: Session | undefined, values: JsonObject, signal = this.#gone): StepContext {
    return {
      connection: this.#connection,
      output: this.#connection.output,
      session,
      values: {
        ...(session && { sessionId: session.id, cwd: session.cwd, options: optionValues(session) }),
        pid: process.pid,
        client: this.#clientInfo(),
        ...values,
      },
      saved: session?.saved ?? new Map(),
      openRequests: new Set(),
      signal,
      answer: () => {
        throw new ScenarioFault("`answerEarly` answers a prompt, and there is none here");
      },
      play: playSteps,
    };
  }

  #runningIn(session: Session): Running | undefined {
    return [...this.#running].find((running) => running.session === session);
  }

  #start(requestId: RequestId, session: Session, params: JsonObject): void {
    const prompt = promptText(params);
    for (const content of params["prompt"] as readonly unknown[]) {
      const update = { sessionUpdate: "user_message_chunk", content };
      this.#connection.store.remember(session, update);
    }
    const turn = pickTurn(this.#scenario, this.#connection.store, session, prompt);
    if (turn === undefined) {
      const message = "the scenario has no turn for this prompt";
      this.#connection.peer.respond(requestId, { error: { code: -32603, message } });
      return;
    }
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, this.#gone]);
    const context: StepContext = {
      ...this.contextOf(session, { prompt, requestId, params, turnId: randomUUID() }, signal),
      answer: (ending, output) => {
        this.#answer(running, ending, output);
      },
    };
    const running: Running = { requestId, session, turn, context, controller, answered: false };
    this.#running.add(running);
    void this.#play(running);
  }

  async #play(running: Running): Promise<void> {
    const { turn, context } = running;
    let ending: PromptResult | undefined;
    try {
      await playSteps(turn.steps, context);
      ending = filled(turn.end ?? "end_turn", context);
      if (ending === "never" && !running.answered) await forEver(context.signal);
    } catch (error) {
      // An aborted step may throw another error; report the reason of the abort.
      const stopped: unknown = context.signal.aborted ? context.signal.reason : error;
      ending = await this.#endingAfter(stopped, running);
    }
    if (ending !== undefined) this.#answer(running, ending, this.#connection.output);
    this.#running.delete(running);
  }

  /** Undefined if the connection is closed. */
  async #endingAfter(error: unknown, running: Running): Promise<PromptResult | undefined> {
    if (this.#gone.aborted) return undefined;
    if (error instanceof TurnEnded) return error.ending;
    if (!(error instanceof Stopped)) return this.fault(error);
    const { steps = [], end = "cancelled", cancelsRequests = false } = error.habit;
    const context = { ...running.context, signal: this.#gone };
    if (cancelsRequests) this.#cancelOwnRequests(running);
    try {
      await playSteps(steps, context);
      return filled(end, context);
    } catch (fault) {
      if (this.#gone.aborted) return undefined;
      return fault instanceof TurnEnded ? fault.ending : this.fault(fault);
    }
  }

  /** Reports the deviation from the scenario on stderr and in the answer. */
  fault(error: unknown): { readonly error: { code: number; message: string; data: JsonObject } } {
    const known = error instanceof ScenarioFault || error instanceof UnknownNameError;
    const message = known ? error.message : String(error);
    const data = error instanceof ScenarioFault ? error.data : {};
    const report = { scenarioFault: message, ...data };
    void this.#connection.host.writeStderr(`${JSON.stringify(report)}\n`);
    return { error: { code: -32603, message: `scripted agent: ${message}`, data } };
  }

  #cancelOwnRequests(running: Running): void {
    for (const requestId of running.context.openRequests) {
      if (!this.#connection.peer.isOpen(requestId)) continue;
      const params = { requestId };
      this.#connection.output.send({ jsonrpc: "2.0", method: "$/cancel_request", params });
    }
  }

  #answer(running: Running, ending: PromptResult, output: Output): void {
    if (running.answered || this.#gone.aborted) return;
    running.answered = true;
    this.#running.delete(running);
    const fields = responseOf(ending);
    if (fields !== undefined) this.#connection.peer.respond(running.requestId, fields, output);
    this.#startNext(running.session);
  }

  #startNext(session: Session): void {
    const index = this.#waiting.findIndex((waiting) => waiting.session === session);
    const [next] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (next !== undefined) this.#start(next.requestId, next.session, next.params);
  }

  #stop(running: Running, habit: CancelHabit): void {
    running.controller.abort(new Stopped(habit));
  }

  async #stopLater(running: Running, habit: CancelHabit, afterMs: number): Promise<void> {
    try {
      await waitMs(afterMs, running.context.signal);
    } catch {
      return;
    }
    this.#stop(running, habit);
  }
}

function promptText(params: JsonObject): string {
  const blocks = params["prompt"] as readonly unknown[];
  return blocks
    .flatMap((block) =>
      isObject(block) && typeof block["text"] === "string" ? [block["text"]] : [],
    )
    .join("\n");
}
