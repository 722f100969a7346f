import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { loadConfig } from "@landline/gateway";
import {
  decodeLine,
  type AskOpened,
  type SessionEvent,
  type SessionSummary,
} from "@landline/protocol";
import { chosenAnswer, optionLines } from "../answer.ts";
import type { GatewayClient } from "../client.ts";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { requireGateway } from "../connect.ts";
import { onEndSignal } from "../end-signal.ts";
import { exitCode, exitCodeOfTurn, type ExitCode } from "../exit-code.ts";
import { failureText } from "../failure.ts";
import { withLongText } from "../long-text.ts";
import type { Output } from "../output.ts";
import { sessionIdOf, sessionPath } from "../session-list.ts";
import { Transcript } from "../transcript.ts";

interface AttachOptions extends PlaceOptions, JsonOption {
  readonly after?: number;
  readonly follow: boolean;
  readonly quiet?: boolean;
}

export async function attach(
  { output }: CommandContext,
  session: string,
  { after = 0, follow, quiet = false, json = false, ...place }: AttachOptions,
): Promise<number> {
  const client = await requireGateway(await loadConfig({ flags: place }));
  const sessionId = await sessionIdOf(client, session);
  const { head } = (await client.get(sessionPath(sessionId))) as SessionSummary;
  const attached = new Attachment({ output, client, sessionId, quiet, json });
  return attached.play(after, follow ? Infinity : head);
}

interface AttachmentFacts {
  readonly output: Output;
  readonly client: GatewayClient;
  readonly sessionId: string;
  readonly quiet: boolean;
  readonly json: boolean;
}

/**
 * A session on a terminal: what happens is shown, and each line typed is a prompt, or the number of an
 * option while a permission waits. Piped in, the lines are prompts too, and the end of the last one's
 * turn is the end.
 */
class Attachment {
  readonly #facts: AttachmentFacts;
  readonly #transcript: Transcript;
  readonly #leaving = new AbortController();
  /** Prompts sent from here whose turn is not over. */
  readonly #pending = new Set<string>();
  /** In the order in which they were asked. */
  readonly #asks = new Map<string, AskOpened>();
  #turn: { readonly turnId: string; readonly promptId: string } | null = null;
  #cancelled: string | null = null;
  #isInputOver = false;
  #wasInput = false;
  #code: ExitCode = exitCode.done;
  /** Lines are sent in the order in which they were typed. */
  #sending: Promise<void> = Promise.resolve();

  constructor(facts: AttachmentFacts) {
    this.#facts = facts;
    this.#transcript = new Transcript(facts.output, {
      quiet: facts.quiet,
      isOwnPrompt: (promptId) => this.#pending.has(promptId),
    });
  }

  async play(after: number, until: number): Promise<number> {
    const { client, sessionId, output, json } = this.#facts;
    if (after >= until) return exitCode.done;
    using _signals = onEndSignal(() => this.#interrupted());
    const input = until === Infinity ? this.#readLines() : null;
    const { signal } = this.#leaving;
    const onGap = () =>
      output.note("The log was replaced by another; this is its start.", "yellow");
    for await (const { seq, line } of client.events({ sessionId, after, signal, onGap })) {
      const event = (await withLongText(decodeLine(line), sessionId, client)) as SessionEvent;
      if (json) output.rawLine(line);
      else this.#transcript.show(event);
      this.#take(event);
      if (seq >= until) break;
    }
    input?.close();
    this.#transcript.end();
    return this.#code;
  }

  #take(event: SessionEvent): void {
    if (event.kind === "turn-started") this.#turn = event;
    if (event.kind === "ask-settled") this.#asks.delete(event.askId);
    if (event.kind === "ask-opened") {
      this.#asks.set(event.askId, event);
      if (!this.#facts.json) for (const line of optionLines(event)) this.#facts.output.note(line);
    }
    if (event.kind === "prompt-withdrawn") this.#pending.delete(event.promptId);
    if (event.kind === "turn-ended" && this.#turn?.turnId === event.turnId) {
      if (this.#pending.delete(this.#turn.promptId)) this.#code = exitCodeOfTurn(event.stopReason);
      this.#turn = null;
    }
    this.#leaveWhenDone();
  }

  #readLines(): Disposable & { close(): void } {
    const lines = createInterface({ input: process.stdin, terminal: false });
    lines.on("line", (line) => {
      if (line.trim() === "") return;
      this.#wasInput = true;
      this.#sending = this.#sending.then(() => this.#send(line));
    });
    lines.on("close", () => {
      this.#sending = this.#sending.then(() => this.#inputOver());
    });
    const close = () => lines.close();
    return { close, [Symbol.dispose]: close };
  }

  #inputOver(): void {
    this.#isInputOver = true;
    if (process.stdin.isTTY) this.#leaving.abort();
    else this.#leaveWhenDone();
  }

  async #send(line: string): Promise<void> {
    const { client, sessionId, output } = this.#facts;
    const [ask] = this.#asks.values();
    const answer = ask && chosenAnswer(ask, line);
    const promptId = randomUUID();
    try {
      if (answer) {
        await client.post(sessionPath(sessionId, `/asks/${encodeURIComponent(ask.askId)}`), answer);
        return;
      }
      this.#pending.add(promptId);
      await client.post(sessionPath(sessionId, "/prompts"), { promptId, content: line });
    } catch (error) {
      this.#pending.delete(promptId);
      this.#code = exitCode.failed;
      output.note(failureText(error), "red");
    }
  }

  #leaveWhenDone(): void {
    if (this.#isInputOver && this.#wasInput && this.#pending.size === 0) this.#leaving.abort();
  }

  /** While a turn runs, the first Ctrl-C is for the turn. */
  #interrupted(): void {
    const { client, sessionId, output } = this.#facts;
    const turn = this.#turn;
    if (turn === null || this.#cancelled === turn.turnId) return this.#leaving.abort();
    this.#cancelled = turn.turnId;
    output.note("Cancelling the turn; once more leaves the session as it is.", "yellow");
    client.post(sessionPath(sessionId, "/cancel")).catch(() => this.#leaving.abort());
  }
}
