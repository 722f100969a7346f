import type {
  ClientCapabilities,
  CreateElicitationRequest,
  PromptResponse,
  StopReason,
} from "@agentclientprotocol/sdk";
import {
  isErrorCode,
  LandlineError,
  type AskOpened,
  type SessionEvent,
  type SessionView,
  type TurnEnded,
} from "@landline/protocol";
import type { AgentConnection } from "../../acp-connection/connection.ts";
import type { CallOutcome } from "../../acp-connection/calls.ts";
import type { RequestId } from "../../acp-connection/message.ts";
import type { LogChunk, Tail, TailSink } from "../../log/log.ts";
import { withLongTexts, wholeContent } from "../../sessions/long-texts.ts";
import type { Session } from "../../sessions/sessions.ts";
import { ClientUpdates, isState, made, type ClientUpdate } from "./client-updates.ts";

export interface FollowedSessionParts {
  readonly session: Session;
  readonly connection: AgentConnection;
  readonly capabilities: ClientCapabilities;
  /** Whether its permission requests and questions are sent to the client. */
  readonly canAnswer: boolean;
  /** Answers a permission request or question for the client. */
  readonly answer: (askId: string, outcome: unknown) => Promise<void>;
  /** Called when the log ends: the session was deleted or cannot be read. */
  readonly ended: (error?: Error) => void;
}

type OpenAsk = { readonly opened: AskOpened; requestId: RequestId | null };

/**
 * One ACP client that follows one session. It has a cursor in the log and sends each later event as ACP messages, in
 * order. The cursor does not advance while the client does not read.
 */
export class FollowedSession implements TailSink, Disposable {
  readonly #parts: FollowedSessionParts;
  readonly #updates: ClientUpdates;
  readonly #asks = new Map<string, OpenAsk>();
  /** Prompts of this client whose turn has not ended. */
  readonly #prompts = new Map<string, PromiseWithResolvers<PromptResponse>>();
  #turn: { readonly turnId: string; readonly promptId: string } | null = null;
  #tail: Tail | null = null;
  /** Lines that were received and not yet sent. */
  #lines: readonly string[] = [];
  #mode: "replay" | "silent" | "live" = "live";
  #cursor = 0;
  #isOver = false;

  constructor(parts: FollowedSessionParts) {
    this.#parts = parts;
    this.#updates = new ClientUpdates(parts.capabilities);
  }

  /** Sends the whole history. Resolves when it was sent; `follow` continues from there. */
  replay(): Promise<void> {
    return this.#read("replay");
  }

  /** Sends no existing events. Reads only the current turn and the queue from the log. */
  async skip(): Promise<void> {
    const { session } = this.#parts;
    const { head, turn, queue } = await session.view();
    for (const { promptId, content } of queue)
      this.#updates.expectPrompt(promptId, await wholeContent(content, session.log));
    this.#cursor = turn.first === null ? head : turn.first - 1;
    await this.#read("silent");
  }

  async #read(mode: "replay" | "silent"): Promise<void> {
    this.#mode = mode;
    for await (const chunk of this.#parts.session.log.read(this.#cursor)) {
      for (const line of linesOf(chunk)) await this.#take(line);
      await this.#parts.connection.whenWritable();
    }
    this.#mode = "live";
  }

  /** From now on, sends new events and forwards permission requests and questions to the client. */
  follow({ commands, usage }: Pick<SessionView, "commands" | "usage">): void {
    if (commands.length > 0)
      this.#send(made({ sessionUpdate: "available_commands_update", availableCommands: commands }));
    if (usage !== null) this.#send(made({ sessionUpdate: "usage_update", ...usage }));
    for (const ask of this.#asks.values()) this.#ask(ask);
    this.#tail = this.#parts.session.log.tail(this.#cursor, this);
  }

  /** Resolves when the turn of this prompt has ended and everything before its end was sent. */
  turnOf(promptId: string): Promise<PromptResponse> {
    const pending = Promise.withResolvers<PromptResponse>();
    this.#prompts.set(promptId, pending);
    return pending.promise;
  }

  forget(promptId: string): void {
    this.#prompts.delete(promptId);
  }

  /** Prompts of this client that were not yet sent to the agent. */
  get waitingPrompts(): readonly string[] {
    return [...this.#prompts.keys()].filter((promptId) => promptId !== this.#turn?.promptId);
  }

  write(chunk: LogChunk): boolean {
    this.#lines = linesOf(chunk);
    return this.#sendLines();
  }

  end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#fail(new LandlineError("session-closed"));
    this.#parts.ended(error);
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#tail?.[Symbol.dispose]();
    this.#fail(new LandlineError("connection-lost"));
  }

  #fail(error: LandlineError): void {
    for (const pending of this.#prompts.values()) pending.reject(error);
    this.#prompts.clear();
    this.#withdrawAll();
  }

  /** Returns false while it waits for a long text or for the client to read. */
  #sendLines(): boolean {
    const lines = this.#lines;
    for (const [index, line] of lines.entries()) {
      if (hasLongText(line)) {
        this.#lines = lines.slice(index + 1);
        void this.#take(line).then(() => this.#resume());
        return false;
      }
      this.#event(line);
    }
    this.#lines = [];
    const { connection } = this.#parts;
    if (!connection.isHeld) return true;
    void connection.whenWritable().then(() => this.#resume());
    return false;
  }

  #resume(): void {
    if (!this.#isOver && this.#sendLines()) this.#tail?.resume();
  }

  async #take(line: string): Promise<void> {
    const { log } = this.#parts.session;
    this.#event(hasLongText(line) ? await withLongTexts(line, log) : line);
  }

  #event(line: string): void {
    const event = JSON.parse(line) as SessionEvent;
    this.#cursor = event.seq;
    for (const update of this.#updates.of(event, line, (promptId) => this.#prompts.has(promptId))) {
      if (this.#mode === "live" || (this.#mode === "replay" && !isState(update)))
        this.#send(update);
    }
    switch (event.kind) {
      case "ask-opened": {
        const ask: OpenAsk = { opened: event, requestId: null };
        this.#asks.set(event.askId, ask);
        if (this.#mode === "live") this.#ask(ask);
        break;
      }
      case "ask-settled":
        this.#withdraw(event.askId);
        break;
      case "prompt-withdrawn":
        this.#settle(event.promptId, (pending) => pending.resolve({ stopReason: "cancelled" }));
        break;
      case "turn-started":
        this.#turn = event;
        break;
      case "turn-ended":
        this.#turnEnded(event);
        break;
      default:
        break;
    }
  }

  #send({ text, child }: ClientUpdate): void {
    const sessionId = JSON.stringify(child ?? this.#parts.session.id);
    this.#parts.connection.forward(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":${sessionId},"update":${text},"_meta":{"acp/cursor":${this.#cursor}}}}`,
    );
  }

  #turnEnded(ended: TurnEnded): void {
    const turn = this.#turn;
    this.#turn = null;
    if (turn?.turnId !== ended.turnId) return;
    this.#settle(turn.promptId, (pending) => {
      if (ended.stopReason === "failed") pending.reject(failureOf(ended));
      else pending.resolve(responseOf(ended));
    });
  }

  #settle(promptId: string, settle: (pending: PromiseWithResolvers<PromptResponse>) => void): void {
    const pending = this.#prompts.get(promptId);
    this.#prompts.delete(promptId);
    if (pending) settle(pending);
  }

  #ask(ask: OpenAsk): void {
    const { connection, canAnswer, capabilities, session } = this.#parts;
    if (!canAnswer || ask.requestId !== null) return;
    const { opened } = ask;
    const settle = (outcome: CallOutcome) => this.#answered(opened, outcome);
    if (opened.ask === "permission") {
      const { toolCall, options } = opened;
      const params = { sessionId: session.id, toolCall, options };
      ask.requestId = connection.call("session/request_permission", params, {}, settle);
    } else if (takesQuestion(capabilities, opened.request)) {
      const params = { ...opened.request, sessionId: session.id };
      ask.requestId = connection.call("elicitation/create", params, {}, settle);
    }
  }

  #answered({ askId, ask }: AskOpened, { result, error }: CallOutcome): void {
    // Another client may have answered meanwhile.
    if (error || !this.#asks.delete(askId)) return;
    const outcome: unknown =
      ask === "permission" ? (result as { readonly outcome: unknown }).outcome : result;
    this.#parts.answer(askId, outcome).catch(() => {});
  }

  #withdraw(askId: string): void {
    const ask = this.#asks.get(askId);
    this.#asks.delete(askId);
    if (ask && ask.requestId !== null) this.#parts.connection.cancel(ask.requestId);
  }

  #withdrawAll(): void {
    for (const askId of this.#asks.keys()) this.#withdraw(askId);
  }
}

function linesOf({ bytes }: LogChunk): readonly string[] {
  return bytes.toString("utf8").trimEnd().split("\n");
}

function hasLongText(line: string): boolean {
  return line.includes('{"$blob":"');
}

function takesQuestion({ elicitation }: ClientCapabilities, { mode }: CreateElicitationRequest) {
  return Boolean(mode === "url" ? elicitation?.url : elicitation?.form);
}

function responseOf({ stopReason, usage }: TurnEnded): PromptResponse {
  const reason: StopReason =
    stopReason === "interrupted" || stopReason === "failed" ? "cancelled" : stopReason;
  return { stopReason: reason, ...(usage && { usage }) };
}

function failureOf({ error }: TurnEnded): LandlineError {
  const { code, message = "The turn failed." } = error ?? {};
  return new LandlineError(isErrorCode(code) ? code : "internal-error", { message });
}
