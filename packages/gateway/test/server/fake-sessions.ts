import { randomUUIDv7 } from "node:crypto";
import {
  decodeLine,
  emptyView,
  fold,
  LandlineError,
  type AskSettled,
  type EventBody,
  type Limits,
  type SessionSummary,
  type SessionView,
} from "@landline/protocol";
import type { RuleSuggestions } from "../../src/acp-client/permissions/suggest-rules.ts";
import type { EventDraft, SessionLog } from "../../src/log/log.ts";
import { memoryLogs } from "../log/memory.ts";
import type {
  ListQuery,
  OpenRequest,
  Session,
  SessionPage,
  Sessions,
} from "../../src/sessions/sessions.ts";

type Change = Parameters<Parameters<Sessions["watch"]>[0]>[0];

/** Sessions without agents, over logs in memory: a command becomes the event that a door should show. */
export class FakeSessions implements Sessions {
  readonly logs;
  readonly opened = new Map<string, FakeSession>();
  readonly listeners = new Set<(change: Change) => void>();
  /** What an agent would do when a prompt comes. */
  onPrompt: (session: FakeSession, promptId: string) => void = () => {};

  constructor(limits?: Limits) {
    this.logs = memoryLogs(limits ? { limits } : {});
  }

  async open(request: OpenRequest): Promise<FakeSession> {
    if (request.agent === "missing") throw new LandlineError("agent-not-found");
    const log = await this.logs.create(randomUUIDv7());
    const { agent, cwd, roots = [cwd], title = null, parent = null, by } = request;
    const session = new FakeSession(this, log, { agent, cwd, roots, title, parent });
    session.append({ kind: "session-opened", agent, cwd, roots, title, parent, by });
    this.opened.set(session.id, session);
    session.tell();
    return session;
  }

  async get(sessionId: string): Promise<FakeSession> {
    const session = this.opened.get(sessionId);
    if (!session) throw new LandlineError("session-not-found");
    return session;
  }

  async list({ cwd, parent, limit = 100 }: ListQuery): Promise<SessionPage> {
    const sessions = [...this.opened.values()]
      .map(({ summary }) => summary)
      .filter((summary) => cwd === undefined || summary.cwd === cwd)
      .filter((summary) => parent === undefined || summary.parent === parent);
    return { sessions: sessions.slice(0, limit), nextCursor: null };
  }

  watch(listener: (change: Change) => void): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  async delete(sessionId: string, by = "test"): Promise<void> {
    await this.get(sessionId);
    this.opened.delete(sessionId);
    await this.logs.delete(sessionId);
    for (const listener of this.listeners) listener({ sessionId, deleted: true, by });
  }

  close(): Promise<void> {
    return this.logs.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

type Facts = Pick<SessionSummary, "agent" | "cwd" | "roots" | "title" | "parent">;

export class FakeSession implements Session {
  readonly log: SessionLog;
  readonly #sessions: FakeSessions;
  readonly #prompts = new Set<string>();
  readonly #asks = new Map<string, AskSettled | null>();
  #facts: Facts;
  #state: SessionSummary["state"] = "idle";
  #closedAt: number | null = null;

  constructor(sessions: FakeSessions, log: SessionLog, facts: Facts) {
    this.#sessions = sessions;
    this.log = log;
    this.#facts = facts;
  }

  get id(): string {
    return this.log.sessionId;
  }

  get summary(): SessionSummary {
    return {
      ...this.#facts,
      sessionId: this.id,
      firstPrompt: null,
      hasFailed: false,
      state: this.#state,
      openedAt: 0,
      closedAt: this.#closedAt,
      lastAt: 0,
      head: this.log.head,
    };
  }

  append(...drafts: EventDraft[]): void {
    for (const draft of drafts) {
      if (draft.kind === "ask-opened") this.#asks.set(draft.askId, null);
      if (draft.kind === "ask-settled") this.#asks.set(draft.askId, draft);
    }
    this.log.append(drafts);
  }

  says(text: string): void {
    this.append({
      kind: "update",
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    });
  }

  tell(state: SessionSummary["state"] = "idle"): void {
    this.#state = state;
    for (const listener of this.#sessions.listeners) listener(this.summary);
  }

  async view(): Promise<SessionView> {
    let view = emptyView();
    for await (const { bytes } of this.log.read(0)) {
      view = fold(view, bytes.toString().trimEnd().split("\n").map(decodeLine));
    }
    return view;
  }

  async prompt(promptId: string, content: PromptContent, by: string): Promise<void> {
    if (this.#prompts.has(promptId)) return;
    this.#prompts.add(promptId);
    this.append({ kind: "prompt-queued", promptId, content, by });
    this.#sessions.onPrompt(this, promptId);
  }

  async changePrompt(promptId: string, content: PromptContent, by: string): Promise<void> {
    this.#mustKnow(promptId);
    this.append({ kind: "prompt-changed", promptId, content, by });
  }

  async withdrawPrompt(promptId: string, by: string): Promise<void> {
    this.#mustKnow(promptId);
    this.append({ kind: "prompt-withdrawn", promptId, by });
  }

  async movePrompt(promptId: string, before: string | null, by: string): Promise<void> {
    this.#mustKnow(promptId);
    if (before !== null) this.#mustKnow(before);
    this.append({ kind: "prompt-moved", promptId, before, by });
  }

  async cancel(by: string): Promise<void> {
    const turn = { turnId: "turn", state: "cancelling", rung: "cancel", by } as const;
    this.append({ kind: "turn-changed", ...turn });
  }

  async answer(askId: string, outcome: AskSettled["outcome"], by: string, note?: string) {
    const settled = this.#asks.get(askId);
    if (settled === undefined) throw new LandlineError("ask-not-found");
    if (settled) throw new LandlineError("ask-already-settled", { data: { by: settled.by } });
    const said = note === undefined ? {} : { note };
    this.append({ kind: "ask-settled", askId, outcome, by: { client: by }, ...said });
    if (note === undefined) return {};
    const content = [{ type: "text", text: note }] as const;
    this.append({ kind: "prompt-queued", promptId: "note", content, by });
    return { promptId: "note" };
  }

  async suggestRules(askId: string): Promise<RuleSuggestions> {
    if (this.#asks.get(askId) === undefined) throw new LandlineError("ask-not-found");
    return { rules: [], reason: "There is no agent." };
  }

  async setMode(modeId: string): Promise<void> {
    if (modeId === "unknown") throw new LandlineError("option-not-offered");
    const modes = { currentModeId: modeId, availableModes: [{ id: modeId, name: modeId }] };
    this.append({ kind: "options-changed", modes });
  }

  async setConfig(configId: string, value: string | boolean): Promise<void> {
    const known = { id: configId, name: configId };
    const option =
      typeof value === "boolean"
        ? { ...known, type: "boolean" as const, currentValue: value }
        : { ...known, type: "select" as const, currentValue: value, options: [] };
    this.append({ kind: "options-changed", configOptions: [option] });
  }

  async rename(title: string | null, by: string): Promise<void> {
    this.#facts = { ...this.#facts, title };
    this.append({ kind: "session-changed", title, by });
    this.tell();
  }

  fork(by: string): Promise<FakeSession> {
    return this.#sessions.open({ ...this.#facts, parent: this.id, by });
  }

  async close(by: string): Promise<void> {
    this.#closedAt = 1;
    this.append({ kind: "session-closed", by });
    this.tell();
  }

  #mustKnow(promptId: string): void {
    if (!this.#prompts.has(promptId)) throw new LandlineError("prompt-not-found");
  }
}

type PromptContent = Extract<EventBody, { kind: "prompt-queued" }>["content"];
