import { randomUUID } from "node:crypto";
import { loadConfig } from "@landline/gateway";
import type { Api, AskOutcome, Session } from "@landline/client";
import type { AskOpened, SessionEvent } from "@landline/protocol";
import { chosenAnswer, optionLines } from "../answer.ts";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { requireGateway } from "../connect.ts";
import { onTerminationSignal } from "@landline/system/termination-signal";
import { exitCode, exitCodeOfTurn, type ExitCode } from "../exit-code.ts";
import { failureText } from "../failure.ts";
import { withLongText } from "../long-text.ts";
import type { Output } from "../output.ts";
import { SessionFeed } from "../session-feed.ts";
import { sessionIdOf } from "../session-list.ts";
import { Transcript } from "../transcript.ts";
import { TypedLines } from "../typed-lines.ts";

interface AttachOptions extends PlaceOptions, JsonOption {
  readonly after?: number;
  readonly follow: boolean;
  readonly quiet?: boolean;
}

export async function attach(
  { output }: CommandContext,
  typed: string,
  { after = 0, follow, quiet = false, json = false, ...place }: AttachOptions,
): Promise<number> {
  const gateway = await requireGateway(await loadConfig({ flags: place }));
  const sessionId = await sessionIdOf(gateway.api, typed);
  using stack = new DisposableStack();
  const landline = stack.adopt(await gateway.connect(), (connected) => connected.close());
  const session = landline.session(sessionId);
  const feed = stack.use(new SessionFeed(landline, session));
  const head = await feed.head();
  const { api } = landline;
  const { people } = await api.readMe();
  const attached = new Attachment({ output, api, people, session, feed, quiet, json });
  return await attached.play(after, follow ? Infinity : head);
}

interface AttachmentFacts {
  readonly output: Output;
  readonly api: Api;
  /** Names of clients, by id. */
  readonly people: Readonly<Record<string, string>>;
  readonly session: Session;
  readonly feed: SessionFeed;
  readonly quiet: boolean;
  readonly json: boolean;
}

interface ShownAsk {
  readonly ask: AskOpened;
  /** The number of the question on the screen. */
  readonly question: number;
  isAnswered: boolean;
}

/**
 * Shows a session on a terminal. Each typed line is a prompt, or the number of an option while a permission request is
 * open. Piped lines are prompts too, and the command ends with the turn of the last one.
 */
class Attachment {
  readonly #facts: AttachmentFacts;
  readonly #transcript: Transcript;
  readonly #leaving = new AbortController();
  /** Prompts from this command whose turns have not ended. */
  readonly #pending = new Set<string>();
  /** Open asks, oldest first. */
  readonly #asks = new Map<string, ShownAsk>();
  #lines: TypedLines | null = null;
  #turn: { readonly turnId: string; readonly promptId: string } | null = null;
  #cancelled: string | null = null;
  #isInputOver = false;
  #wasInput = false;
  #code: ExitCode = exitCode.done;
  /** Sends lines in the order in which they were typed. */
  #sending: Promise<void> = Promise.resolve();

  constructor(facts: AttachmentFacts) {
    this.#facts = facts;
    this.#transcript = new Transcript(facts.output, {
      quiet: facts.quiet,
      people: facts.people,
      isAsking: process.stdin.isTTY,
      isOwnPrompt: (promptId) => this.#pending.has(promptId),
    });
  }

  async play(after: number, until: number): Promise<number> {
    const { api, session, feed, output, json } = this.#facts;
    if (after >= until) return exitCode.done;
    using _signals = onTerminationSignal(() => this.#interrupted());
    using lines = until === Infinity ? this.#readLines() : null;
    this.#lines = lines;
    const { signal } = this.#leaving;
    const onGap = () =>
      output.note("The log was replaced by another; this is its start.", "yellow");
    for await (const logged of feed.events({ after, signal, onGap })) {
      const event = (await withLongText(logged, session.id, api)) as SessionEvent;
      const question = event.kind === "ask-opened" ? ((await this.#lines?.nextQuestion()) ?? 0) : 0;
      if (json) output.json(logged);
      else this.#transcript.show(event);
      this.#take(event, question);
      if (event.seq >= until) break;
    }
    this.#transcript.end();
    return this.#code;
  }

  #take(event: SessionEvent, question: number): void {
    if (event.kind === "turn-started") this.#turn = event;
    if (event.kind === "ask-settled") this.#asks.delete(event.askId);
    if (event.kind === "ask-opened") {
      this.#asks.set(event.askId, { ask: event, question, isAnswered: false });
      if (!this.#facts.json) for (const line of optionLines(event)) this.#facts.output.note(line);
    }
    if (event.kind === "prompt-withdrawn") this.#pending.delete(event.promptId);
    if (event.kind === "turn-ended" && this.#turn?.turnId === event.turnId) {
      if (this.#pending.delete(this.#turn.promptId)) this.#code = exitCodeOfTurn(event.stopReason);
      this.#turn = null;
    }
    this.#leaveWhenDone();
  }

  #readLines(): TypedLines {
    return new TypedLines(process.stdin, {
      line: (line, after) => this.#typed(line, after),
      close: () => {
        this.#sending = this.#sending.then(() => this.#inputOver());
      },
    });
  }

  /** A number answers the first open question, if the person began the line after it was printed. */
  #typed(line: string, after: number): void {
    if (line.trim() === "") return;
    this.#wasInput = true;
    const shown = this.#asks.values().find(({ isAnswered }) => !isAnswered);
    const answer = shown && chosenAnswer(shown.ask, line);
    if (answer && after < shown.question) {
      this.#facts.output.note(
        "You started typing before the question appeared. Type it again to answer.",
      );
      return;
    }
    if (answer) shown.isAnswered = true;
    this.#sending = this.#sending.then(() =>
      answer ? this.#answer(shown, answer) : this.#prompt(line),
    );
  }

  #inputOver(): void {
    this.#isInputOver = true;
    if (process.stdin.isTTY) this.#leaving.abort();
    else this.#leaveWhenDone();
  }

  async #answer(shown: ShownAsk, answer: AskOutcome): Promise<void> {
    await this.#facts.session.answer(shown.ask.askId, answer).catch((error: unknown) => {
      shown.isAnswered = false;
      this.#failed(error);
    });
  }

  async #prompt(line: string): Promise<void> {
    const promptId = randomUUID();
    this.#pending.add(promptId);
    await this.#facts.session.prompt(line, promptId).catch((error: unknown) => {
      this.#pending.delete(promptId);
      this.#failed(error);
    });
  }

  #failed(error: unknown): void {
    this.#code = exitCode.failed;
    this.#facts.output.note(failureText(error), "red");
  }

  #leaveWhenDone(): void {
    if (this.#isInputOver && this.#wasInput && this.#pending.size === 0) this.#leaving.abort();
  }

  /** While a turn is running, the first Ctrl-C cancels the turn. */
  #interrupted(): void {
    const { session, output } = this.#facts;
    const turn = this.#turn;
    if (turn === null || this.#cancelled === turn.turnId) return this.#leaving.abort();
    this.#cancelled = turn.turnId;
    output.note("Cancelling the turn. Press Ctrl-C again to leave the session.", "yellow");
    session.cancel().catch(() => this.#leaving.abort());
  }
}
