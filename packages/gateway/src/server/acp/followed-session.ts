import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import {
  asLandlineError,
  LandlineError,
  toRpcError,
  writeAcpUpdate,
  type Numbered,
  type SessionEvent,
  type SessionView,
  type TurnEnded,
  type TurnStarted,
} from "@landline/protocol";
import type { AgentConnection } from "../../acp-connection/connection.ts";
import type { LogChunk, Tail, TailSink } from "../../log/log.ts";
import { kindOfLine, linesOf } from "../../log/log-lines.ts";
import { withLongTexts, wholeContent } from "../../sessions/long-texts.ts";
import type { Session } from "../../sessions/sessions.ts";
import { TURNS_CAPABILITY } from "../../acp-v2/client-initialize.ts";
import { TURN_METHOD } from "../../acp-v2/client-translator.ts";
import type { ClientPrompts } from "./client-prompts.ts";
import { ClientRequests } from "./client-requests.ts";
import { endOfPrompt, failureOf } from "./prompt-end.ts";
import { ClientUpdates, isState, type ClientUpdate, type TerminalOf } from "./client-updates.ts";
import type { OwnChoice } from "./sent-state.ts";

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
  readonly prompts: ClientPrompts;
  /** Called when the session was deleted (`session-closed`) or cannot be read. */
  readonly ended: (reason: LandlineError) => void;
}

/**
 * `opening`: existing events are sent, and the cursor is not final. `following`: new events are sent as they come.
 * `over`: nothing is read or sent any more.
 */
type FollowerState = "opening" | "following" | "over";

/** Event, state before, state after. Other events change nothing. */
const transitions = {
  opened: { opening: "following" },
  ended: { opening: "over", following: "over" },
} as const satisfies Readonly<
  Record<string, Readonly<Partial<Record<FollowerState, FollowerState>>>>
>;

/**
 * One ACP client that follows one session. It has a cursor in the log and sends each later event as ACP messages, in
 * order. The cursor does not advance while the client does not read. It is opened once: by `replay`, `skip` or `resume`,
 * and then `follow`.
 */
export class FollowedSession implements TailSink, Disposable {
  readonly prompts: ClientPrompts;
  /** Resolves when it is no longer opening. */
  readonly opened: Promise<void>;
  readonly #parts: FollowedSessionParts;
  readonly #updates: ClientUpdates;
  readonly #requests: ClientRequests;
  /** Whether turns are reported, for clients of version 2. */
  readonly #reportsTurns: boolean;
  readonly #noteOpened: () => void;
  #state: FollowerState = "opening";
  /** Why it is over. */
  #reason = new LandlineError("connection-lost");
  #turn: { readonly turnId: string; readonly promptId: string } | null = null;
  #tail: Tail | null = null;
  /** Lines that were received and not yet sent. */
  #lines: readonly string[] = [];
  /** Events up to this number only change the state that later ones need; nothing is sent for them. */
  #silentUntil = 0;
  /** What is sent: the history as an agent replays it, missed events, or new events with requests to the client. */
  #mode: "replay" | "missed" | "live" = "live";
  #cursor = 0;

  constructor(parts: FollowedSessionParts) {
    const { session, connection, capabilities, canAnswer, answer } = parts;
    const opened = Promise.withResolvers<void>();
    this.opened = opened.promise;
    this.#noteOpened = opened.resolve;
    this.prompts = parts.prompts;
    this.#parts = parts;
    this.#reportsTurns = capabilities._meta?.[TURNS_CAPABILITY] === true;
    this.#updates = new ClientUpdates(
      capabilities,
      // In a replay, the client may have released it long ago.
      (terminalId) => (this.#mode === "replay" ? undefined : parts.terminalOf(terminalId)),
      this.#reportsTurns,
    );
    const sessionId = session.id;
    this.#requests = new ClientRequests({
      sessionId,
      connection,
      capabilities,
      canAnswer,
      shown: (toolCall) => this.#updates.withoutTerminals(toolCall),
      answer,
    });
  }

  /** Sends the history after `cursor` up to the view, as an agent replays it. */
  async replay({ head }: SessionView, cursor = 0): Promise<void> {
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
   * Sends every update after `cursor`, as if the client had never been away: it does not receive the text of its own
   * prompts. Resolves when everything was sent.
   */
  async resume(view: SessionView, cursor: number): Promise<void> {
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

  async #read(
    after: number,
    mode: "replay" | "missed",
    last = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    this.#mode = mode;
    this.#cursor = after;
    for await (const chunk of this.#parts.session.log.read(after)) {
      this.#mustNotBeOver();
      for (const [index, line] of linesOf(chunk).entries()) {
        const seq = chunk.first + index;
        if (seq > last) break;
        if (seq > this.#silentUntil || changesState(line)) {
          await this.#take(line);
          if (hasLongText(line)) await this.#whenWritable();
        }
        this.#cursor = seq;
      }
      if (chunk.last >= last) break;
      await this.#whenWritable();
    }
    this.#mustNotBeOver();
    this.#mode = "live";
  }

  get #isOver(): boolean {
    return this.#state === "over";
  }

  #mustNotBeOver(): void {
    if (this.#isOver) throw this.#reason;
  }

  /**
   * From now on, sends new events and forwards permission requests and questions to the client. Without a view, the
   * client has received the current state with the missed events.
   */
  follow(view?: Pick<SessionView, "commands" | "usage">): void {
    if (!this.#apply("opened")) return;
    for (const update of view ? this.#updates.stateOf(view) : []) this.#send(update, true);
    this.#requests.sendAll();
    try {
      this.#tail = this.#parts.session.log.tail(this.#cursor, this);
    } catch (error) {
      // The session was deleted while the client read its history.
      this.end(error as Error);
    }
  }

  /** Reports to a client of version 2 whether a turn runs, and that it began or how it ended. */
  reportTurn(event?: (TurnStarted | TurnEnded) & Numbered): void {
    if (!this.#reportsTurns) return;
    this.#parts.connection.notify(TURN_METHOD, {
      sessionId: this.#parts.session.id,
      cursor: this.#cursor,
      ...(this.#turn === null
        ? { state: "idle" }
        : { state: "running", promptId: this.#turn.promptId }),
      ...(event?.kind === "turn-started" && { began: true }),
      ...(event?.kind === "turn-ended" && endOf(event)),
    });
  }

  /** The client receives the options of the view in a response. */
  toldOptions(view: Pick<SessionView, "modes" | "configOptions">): void {
    this.#updates.toldOptions(view);
  }

  /** The client learns the result of its own choice from the response, and receives no update about it. */
  async choose(choice: OwnChoice, run: () => Promise<unknown>): Promise<void> {
    this.#updates.choose(choice);
    try {
      await run();
    } catch (error) {
      this.#updates.forgetChoice(choice);
      throw error;
    }
  }

  /** The sequence number of the last event that was handled. */
  get cursor(): number {
    return this.#cursor;
  }

  /** What the client should show: its agent works, waits for an answer, or does neither. */
  get turnState(): "running" | "requires_action" | "idle" {
    if (this.#requests.size > 0) return "requires_action";
    return this.#turn === null ? "idle" : "running";
  }

  /** Settles a prompt whose turn may have ended before this follower began to read. */
  async recall(promptId: string): Promise<void> {
    await this.opened;
    if (this.#isOver) return;
    const end = await endOfPrompt(promptId, this.#parts.session.log);
    // A later end is settled when the cursor reaches it, after the updates before it.
    if (!this.#isOver && end !== null && end.seq <= this.#cursor)
      this.prompts.settle(promptId, end);
  }

  /** Prompts of this client that were not yet sent to the agent. */
  get waitingPrompts(): readonly string[] {
    return this.prompts.pending.filter((promptId) => promptId !== this.#turn?.promptId);
  }

  write(chunk: LogChunk): boolean {
    this.#lines = linesOf(chunk);
    return this.#sendLines();
  }

  /** The session was deleted, or cannot be read (with an error). */
  end(error?: Error): void {
    const reason = error ? asLandlineError(error) : new LandlineError("session-closed");
    if (this.#finish(reason)) this.#parts.ended(reason);
  }

  [Symbol.dispose](): void {
    this.#finish(new LandlineError("connection-lost"));
  }

  #finish(reason: LandlineError): boolean {
    if (!this.#apply("ended")) return false;
    this.#reason = reason;
    this.#tail?.[Symbol.dispose]();
    this.#requests.withdrawAll();
    return true;
  }

  /** Returns false, and changes nothing, if the event is not possible in this state. */
  #apply(event: keyof typeof transitions): boolean {
    const row: Partial<Record<FollowerState, FollowerState>> = transitions[event];
    const next = row[this.#state];
    if (next === undefined) return false;
    this.#state = next;
    this.#noteOpened();
    return true;
  }

  /** Returns false while it waits for a long text or for the client to read. Buffers have room for one long text. */
  #sendLines(): boolean {
    const lines = this.#lines;
    for (const [index, line] of lines.entries()) {
      if (hasLongText(line)) {
        this.#lines = lines.slice(index + 1);
        void this.#resumeAfter(this.#take(line).then(() => this.#whenWritable()));
        return false;
      }
      this.#event(line);
    }
    this.#lines = [];
    if (!this.#flows().some(({ isHeld }) => isHeld)) return true;
    void this.#resumeAfter(this.#whenWritable());
    return false;
  }

  async #resumeAfter(done: Promise<void>): Promise<void> {
    try {
      await done;
      if (!this.#isOver && this.#sendLines()) this.#tail?.resume();
    } catch (error) {
      this.end(error as Error);
    }
  }

  async #whenWritable(): Promise<void> {
    for (const flow of this.#flows()) await flow.whenWritable();
  }

  #flows(): readonly Flow[] {
    const { connection, flow } = this.#parts;
    return flow ? [connection, flow()] : [connection];
  }

  async #take(line: string): Promise<void> {
    const { log } = this.#parts.session;
    const whole = hasLongText(line) ? await withLongTexts(line, log) : line;
    this.#mustNotBeOver();
    this.#event(whole);
  }

  #event(line: string): void {
    const event = JSON.parse(line) as SessionEvent;
    this.#cursor = event.seq;
    const updates = this.#updates
      .of(event, line, (promptId) => this.#mode !== "replay" && this.prompts.isOwn(promptId))
      .filter((update) => this.#isSent(event.seq, update));
    for (const [index, update] of updates.entries())
      this.#send(update, index === updates.length - 1);
    switch (event.kind) {
      case "ask-opened":
        this.#requests.add(event);
        if (this.#mode === "live") this.#requests.send(event.askId);
        break;
      case "ask-settled":
        this.#requests.withdraw(event.askId);
        break;
      case "prompt-withdrawn":
        this.prompts.settle(event.promptId, event);
        break;
      case "turn-started":
        this.#turn = event;
        if (this.#mode !== "replay" && event.seq > this.#silentUntil) this.reportTurn(event);
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

  #send({ text, child }: ClientUpdate, isLast: boolean): void {
    const { connection, session } = this.#parts;
    const cursor = isLast ? this.#cursor : null;
    connection.forward(writeAcpUpdate({ sessionId: session.id, child, text, cursor }));
  }

  #turnEnded(ended: TurnEnded & Numbered): void {
    const turn = this.#turn;
    this.#turn = null;
    if (this.#mode !== "replay" && ended.seq > this.#silentUntil) this.reportTurn(ended);
    if (turn?.turnId === ended.turnId) this.prompts.settle(turn.promptId, ended);
  }
}

function hasLongText(line: string): boolean {
  return line.includes('{"$blob":"');
}

function endOf(ended: TurnEnded & Numbered) {
  const failure = failureOf(ended);
  if (failure) return { stopReason: "error", error: toRpcError(failure) };
  return { stopReason: ended.stopReason };
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
  return kindOfLine(line) !== "update" || line.includes('"terminal"');
}
