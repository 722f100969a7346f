import type {
  ClientCapabilities,
  CreateElicitationRequest,
  PromptResponse,
  StopReason,
} from "@agentclientprotocol/sdk";
import {
  acpMeta,
  isErrorCode,
  LandlineError,
  toRpcError,
  writeAcpUpdate,
  type AskOpened,
  type Numbered,
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
import { TURNS_CAPABILITY } from "../../acp-v2/client-initialize.ts";
import { TURN_METHOD } from "../../acp-v2/client-translator.ts";
import { evictOldest } from "@landline/system/evict-oldest";
import { endOfPrompt, type PromptEnd } from "./prompt-end.ts";
import {
  ClientUpdates,
  isState,
  made,
  type ClientUpdate,
  type TerminalOf,
} from "./client-updates.ts";

/** Whether the client reads what is sent about one session. */
export type Flow = Pick<AgentConnection, "isHeld" | "whenWritable">;

export interface FollowedSessionParts {
  readonly session: Session;
  readonly connection: AgentConnection;
  /** Where the session has a stream of its own. */
  readonly flow?: () => Flow;
  readonly capabilities: ClientCapabilities;
  readonly terminalOf: TerminalOf;
  /** Whether its permission requests and questions are sent to the client. */
  readonly canAnswer: boolean;
  /** Answers a permission request or question for the client. */
  readonly answer: (askId: string, outcome: unknown) => Promise<void>;
  /** Called when the log ends: the session was deleted or cannot be read. */
  readonly ended: (error?: Error) => void;
}

/** More prompts of one client are never between its cursor and the head of the log. */
const ownPromptsKept = 1_000;

type OpenAsk = { readonly opened: AskOpened; requestId: RequestId | null };

/**
 * One ACP client that follows one session. It has a cursor in the log and sends each later event as ACP messages, in
 * order. The cursor does not advance while the client does not read.
 */
export class FollowedSession implements TailSink, Disposable {
  readonly #parts: FollowedSessionParts;
  readonly #updates: ClientUpdates;
  /** Whether turns are reported, for clients of version 2. */
  readonly #reportsTurns: boolean;
  readonly #asks = new Map<string, OpenAsk>();
  /** Prompts of this client whose turn has not ended. */
  readonly #prompts = new Map<string, PromiseWithResolvers<PromptResponse>>();
  /** Prompts of this client, including those of its earlier connections. */
  readonly #ownPrompts = new Set<string>();
  #turn: { readonly turnId: string; readonly promptId: string } | null = null;
  #tail: Tail | null = null;
  /** Lines that were received and not yet sent. */
  #lines: readonly string[] = [];
  /** Events up to this number only change the state that later ones need; nothing is sent for them. */
  #silentUntil = 0;
  /** What is sent: the history as an agent replays it, missed events, or new events with requests to the client. */
  #mode: "replay" | "missed" | "live" = "live";
  #cursor = 0;
  #isOver = false;

  constructor(parts: FollowedSessionParts) {
    this.#parts = parts;
    this.#reportsTurns = parts.capabilities._meta?.[TURNS_CAPABILITY] === true;
    this.#updates = new ClientUpdates(
      parts.capabilities,
      // In a replay, the client may have released it long ago.
      (terminalId) => (this.#mode === "replay" ? undefined : parts.terminalOf(terminalId)),
      this.#reportsTurns,
    );
  }

  /** Sends the history after `cursor` up to the view, as an agent replays it. `follow` continues from there. */
  async replay({ head }: SessionView, cursor = 0): Promise<void> {
    this.#mustBeInLog(cursor);
    this.#silentUntil = cursor;
    await this.#read(0, "replay", head);
  }

  /** Sends no event that the view contains. */
  async skip(view: SessionView): Promise<void> {
    this.#silentUntil = view.head;
    await this.#expectQueue(view);
    await this.#read(firstOfState(view), "missed", view.head);
  }

  /**
   * Sends every update after `cursor`, as if the client had never been away. `ownPrompts` are prompts that the client
   * itself sent; it does not receive their text. Resolves when everything was sent; `follow` continues from there.
   * Throws `cursor-ahead`.
   */
  async resume(cursor: number, ownPrompts: readonly string[] = []): Promise<void> {
    this.#mustBeInLog(cursor);
    for (const promptId of ownPrompts) this.#keepOwn(promptId);
    const view = await this.#parts.session.view();
    this.#silentUntil = cursor;
    const first = firstOfState(view);
    if (first > cursor || (view.turn.first ?? 0) > cursor) return this.#read(0, "missed");
    await this.#expectQueue(view);
    return this.#read(first, "missed");
  }

  async #expectQueue({ queue }: SessionView): Promise<void> {
    const { log } = this.#parts.session;
    for (const { promptId, content } of queue)
      this.#updates.expectPrompt(promptId, await wholeContent(content, log));
  }

  #mustBeInLog(cursor: number): void {
    const { visible } = this.#parts.session.log;
    if (cursor > visible)
      throw new LandlineError("cursor-ahead", { data: { cursor, head: visible } });
  }

  async #read(
    after: number,
    mode: "replay" | "missed",
    last = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    this.#mode = mode;
    this.#cursor = after;
    for await (const chunk of this.#parts.session.log.read(after)) {
      for (const [index, line] of linesOf(chunk).entries()) {
        const seq = chunk.first + index;
        if (seq > last) break;
        if (seq > this.#silentUntil || changesState(line)) await this.#take(line);
        this.#cursor = seq;
      }
      if (chunk.last >= last) break;
      await this.#whenWritable();
    }
    this.#mode = "live";
  }

  /**
   * From now on, sends new events and forwards permission requests and questions to the client. Without a view, the
   * client has received the current state with the missed events.
   */
  follow(view?: Pick<SessionView, "commands" | "usage">): void {
    if (view && view.commands.length > 0)
      this.#sendState({
        sessionUpdate: "available_commands_update",
        availableCommands: view.commands,
      });
    if (view && view.usage !== null)
      this.#sendState({ sessionUpdate: "usage_update", ...view.usage });
    for (const ask of this.#asks.values()) this.#ask(ask);
    this.#tail = this.#parts.session.log.tail(this.#cursor, this);
  }

  /** Reports to a client of version 2 whether a turn runs, and how it ended. */
  reportTurn(ended?: TurnEnded & Numbered): void {
    if (!this.#reportsTurns) return;
    const failure = ended && failureOf(ended);
    this.#parts.connection.notify(TURN_METHOD, {
      sessionId: this.#parts.session.id,
      ...(this.#turn === null
        ? { state: "idle" }
        : { state: "running", promptId: this.#turn.promptId }),
      ...(ended && (failure ? { stopReason: "error", error: toRpcError(failure) } : stopOf(ended))),
    });
  }

  /** The sequence number of the last event that was handled. */
  get cursor(): number {
    return this.#cursor;
  }

  /** What the client should show: its agent works, waits for an answer, or does neither. */
  get turnState(): "running" | "requires_action" | "idle" {
    if (this.#asks.size > 0) return "requires_action";
    return this.#turn === null ? "idle" : "running";
  }

  /** Resolves when the turn of this prompt has ended and everything before its end was sent. */
  turnOf(promptId: string): Promise<PromptResponse> {
    const pending = this.#prompts.get(promptId) ?? Promise.withResolvers<PromptResponse>();
    this.#prompts.set(promptId, pending);
    this.#keepOwn(promptId);
    return pending.promise;
  }

  /** Settles `turnOf` for a repeated prompt whose turn ended before. */
  async recall(promptId: string): Promise<void> {
    const end = await endOfPrompt(promptId, this.#parts.session.log);
    // A later end is settled when the cursor reaches it, after the updates before it.
    if (end !== null && end.seq <= this.#cursor) this.#settle(promptId, end);
  }

  #keepOwn(promptId: string): void {
    this.#ownPrompts.add(promptId);
    evictOldest(this.#ownPrompts, ownPromptsKept);
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
    if (!this.#flows().some(({ isHeld }) => isHeld)) return true;
    void this.#whenWritable().then(() => this.#resume());
    return false;
  }

  async #whenWritable(): Promise<void> {
    for (const flow of this.#flows()) await flow.whenWritable();
  }

  #flows(): readonly Flow[] {
    const { connection, flow } = this.#parts;
    return flow ? [connection, flow()] : [connection];
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
    const updates = this.#updates
      .of(event, line, (promptId) => this.#ownPrompts.has(promptId))
      .filter((update) => this.#isSent(event.seq, update));
    for (const [index, update] of updates.entries())
      this.#send(update, index === updates.length - 1);
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
        this.#settle(event.promptId, event);
        break;
      case "turn-started":
        this.#turn = event;
        if (this.#mode !== "replay" && event.seq > this.#silentUntil) this.reportTurn();
        break;
      case "turn-ended":
        this.#turnEnded(event);
        break;
      default:
        break;
    }
  }

  #isSent(seq: number, update: ClientUpdate): boolean {
    if (seq <= this.#silentUntil) return false;
    return this.#mode !== "replay" || !isState(update);
  }

  #sendState(update: Parameters<typeof made>[0]): void {
    this.#send(made(update), true);
  }

  #send({ text, child }: ClientUpdate, isLast: boolean): void {
    const { connection, session } = this.#parts;
    const cursor = isLast ? this.#cursor : null;
    connection.forward(writeAcpUpdate({ sessionId: session.id, child, text, cursor }));
  }

  #turnEnded(ended: TurnEnded & Numbered): void {
    const turn = this.#turn;
    this.#turn = null;
    if (this.#mode !== "replay" && ended.seq > this.#silentUntil) this.reportTurn(ended);
    if (turn?.turnId === ended.turnId) this.#settle(turn.promptId, ended);
  }

  #settle(promptId: string, end: PromptEnd): void {
    const pending = this.#prompts.get(promptId);
    this.#prompts.delete(promptId);
    if (!pending) return;
    const failure = failureOf(end);
    if (failure) pending.reject(failure);
    else pending.resolve(responseOf(end));
  }

  #ask(ask: OpenAsk): void {
    const { connection, canAnswer, capabilities, session } = this.#parts;
    if (!canAnswer || ask.requestId !== null) return;
    const { opened } = ask;
    const _meta = { [acpMeta.askId]: opened.askId };
    const settle = (outcome: CallOutcome) => this.#answered(opened, outcome);
    if (opened.ask === "permission") {
      const { toolCall, options } = opened;
      const params = { sessionId: session.id, toolCall, options, _meta };
      ask.requestId = connection.call("session/request_permission", params, {}, settle);
    } else if (takesQuestion(capabilities, opened.request)) {
      const params = {
        ...opened.request,
        sessionId: session.id,
        _meta: { ...opened.request._meta, ..._meta },
      };
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

function stopOf({ stopReason }: TurnEnded) {
  return { stopReason };
}

function responseOf(end: PromptEnd): PromptResponse {
  const _meta = { [acpMeta.cursor]: end.seq };
  if (end.kind === "prompt-withdrawn") return { stopReason: "cancelled", _meta };
  const { stopReason, usage } = end;
  return { stopReason: stopReason as StopReason, ...(usage && { usage }), _meta };
}

function failureOf(end: PromptEnd): LandlineError | null {
  const data = { [acpMeta.cursor]: end.seq };
  if (end.kind === "prompt-withdrawn") return null;
  if (end.stopReason === "interrupted") return new LandlineError("turn-interrupted", { data });
  if (end.stopReason !== "failed") return null;
  const { code, message = "The turn failed." } = end.error ?? {};
  return new LandlineError(isErrorCode(code) ? code : "internal-error", { message, data });
}

/** The event before everything that is not over: the running turn, and open requests. */
function firstOfState({ head, turn, openAsks, items, subagents }: SessionView): number {
  const firsts = openAsks.map(({ item, subagent }) => {
    const thread = subagent === null ? items : subagents.find(({ key }) => key === subagent)?.items;
    return thread?.find(({ key }) => key === item)?.first ?? 1;
  });
  if (turn.first !== null) firsts.push(turn.first);
  return Math.min(head, ...firsts.map((first) => first - 1));
}

/** Whether an event that is not sent matters to later ones. Most updates do not, and are not parsed. */
function changesState(line: string): boolean {
  return !line.includes(',"kind":"update",') || line.includes('"terminal"');
}
