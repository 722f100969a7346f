import { createInterface, type Interface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { AskOutcome } from "@landline/client";
import { LandlineError, type AskOpened, type Limits } from "@landline/protocol";
import {
  allowingAnswer,
  chosenAnswer,
  leavesSandbox,
  optionLines,
  refusingAnswer,
} from "./answer.ts";
import type { Output } from "./output.ts";
import { dropTypedAhead } from "./typed-ahead.ts";

export interface Person {
  readonly input: Readable;
  readonly screen: Writable;
}

export interface AskerOptions {
  readonly output: Output;
  readonly limits: Limits;
  /** `--yes`: allows every permission request, except those that let a command leave the sandbox. */
  readonly yes: boolean;
  /** The person to ask; null if there is none. */
  readonly person: Person | null;
  /** The page for questions that one line cannot answer. */
  readonly page: string;
  /** Why no rule for `--allow` matches the request; null if one does. */
  readonly noRule: (askId: string) => Promise<string | null>;
  /** Sends the answer. */
  readonly answer: (askId: string, outcome: AskOutcome) => Promise<void>;
}

/**
 * Answers an agent's requests during a run: at once with `--yes`, by the person at the terminal, or by rejecting. Each
 * ask gets at most one answer from here, and none if another client or a rule answered first. The person gets one
 * question at a time.
 */
export class Asker {
  readonly #options: AskerOptions;
  readonly #open = new Map<string, AbortController>();
  readonly #failed = Promise.withResolvers<never>();
  #turn: Promise<void> = Promise.resolve();
  #refused = 0;

  constructor(options: AskerOptions) {
    this.#options = options;
    // The caller that awaits it sees the failure. Until then it must not count as unhandled.
    this.#failed.promise.catch(() => {});
  }

  /** The number of requests that were rejected because nobody could be asked. */
  get refused(): number {
    return this.#refused;
  }

  /** Rejects when an answer could not be sent. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  opened(ask: AskOpened): void {
    const controller = new AbortController();
    this.#open.set(ask.askId, controller);
    this.#handle(ask, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted && !isSettled(error)) this.#failed.reject(error);
    });
  }

  settled(askId: string): void {
    this.#open.get(askId)?.abort();
    this.#open.delete(askId);
  }

  close(): void {
    for (const askId of this.#open.keys()) this.settled(askId);
  }

  async #handle(ask: AskOpened, signal: AbortSignal): Promise<void> {
    const { yes, person, answer, limits, noRule } = this.#options;
    const allowing = yes ? allowingAnswer(ask) : null;
    if (allowing) return answer(ask.askId, allowing);
    if (person) return this.#inTurn(ask, person, signal);
    // A rule of the gateway may be about to answer.
    await wait(limits.commandAskMs, undefined, { signal });
    const reason = ask.ask === "question" ? null : await noRule(ask.askId);
    await answer(ask.askId, refusingAnswer(ask));
    this.#tellRefused(ask, reason);
  }

  #tellRefused(ask: AskOpened, reason: string | null): void {
    const { output } = this.#options;
    if (ask.ask === "question") return output.note("  Nobody is here to answer it.", "yellow");
    this.#refused += 1;
    const advice = leavesSandbox(ask)
      ? "Only a person can let a command out of the sandbox, or keep a protected place that a confined program created. What it may use is set by policy.terminalSandbox in the config, and for the built-in agent by sandbox in its own."
      : reason === null
        ? "--allow or --yes would allow it."
        : `No rule was found for --allow: ${reason} --yes would allow it.`;
    output.note(`  Refused: nobody is here to ask. ${advice}`, "yellow");
  }

  #inTurn(ask: AskOpened, person: Person, signal: AbortSignal): Promise<void> {
    const asked = this.#turn.then(() => this.#askPerson(ask, person, signal));
    this.#turn = asked.catch(() => {});
    return asked;
  }

  async #askPerson(ask: AskOpened, person: Person, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { output, answer, page } = this.#options;
    // A form waits for an answer on the page.
    if (ask.ask === "question") return output.note(`  Answer it here: ${page}`, "yellow");
    await dropTypedAhead(person.input);
    signal.throwIfAborted();
    if (person.input.readableEnded) return answer(ask.askId, refusingAnswer(ask));
    // Not in raw mode, so that Ctrl-C stays a signal.
    const terminal = createInterface({
      input: person.input,
      output: person.screen,
      terminal: false,
    });
    const gone = new AbortController();
    terminal.once("close", () => gone.abort());
    try {
      for (const line of optionLines(ask)) output.note(line);
      const chosen = await choose(ask, terminal, AbortSignal.any([signal, gone.signal]), output);
      await answer(ask.askId, chosen);
    } catch (error) {
      if (signal.aborted || !gone.signal.aborted) throw error;
      await answer(ask.askId, refusingAnswer(ask));
    } finally {
      terminal.close();
    }
  }
}

async function choose(
  ask: AskOpened,
  terminal: Interface,
  signal: AbortSignal,
  output: Output,
): Promise<AskOutcome> {
  for (;;) {
    const chosen = chosenAnswer(ask, await terminal.question("Number: ", { signal }));
    if (chosen) return chosen;
    output.note("Type one of the numbers.");
  }
}

function isSettled(error: unknown): boolean {
  return (
    error instanceof LandlineError && ["ask-already-settled", "ask-not-found"].includes(error.code)
  );
}
