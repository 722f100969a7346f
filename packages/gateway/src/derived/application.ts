import type { Limits, Numbered, SessionEvent, Update } from "@landline/protocol";
import { isDeed } from "../log/deed.ts";
import { withoutAnswers, type AskedFor } from "./ask-table.ts";
import type { AuditWriter } from "./audit-table.ts";
import { shareOut } from "./call-texts.ts";
import type { Drafts } from "./drafts.ts";
import { auditedExecution, Executions } from "./executions.ts";
import {
  identifier,
  promptText,
  readToolCall,
  readUpdate,
  type ToolCallReading,
} from "./reading.ts";
import { nextFacts, type AnyEvent, type SessionFacts } from "./session-facts.ts";
import type { Tables } from "./tables.ts";
import { ToolCalls, type KnownToolCall } from "./tool-calls.ts";

/**
 * A run of events on their way into the tables, inside one transaction. What comes out depends on the
 * events alone, not on where the runs were cut: a rebuilt database equals one that was fed live.
 */
export class Application {
  readonly #sessionId: string;
  readonly #tables: Tables;
  readonly #limits: Limits;
  readonly #drafts: Drafts;
  readonly #toolCalls: ToolCalls;
  readonly #executions: Executions;
  readonly #audit: AuditWriter;
  #facts: SessionFacts;
  /** When something happened last; null while nothing has. */
  #activeAt: number | null = null;

  constructor(sessionId: string, facts: SessionFacts, tables: Tables, limits: Limits) {
    this.#sessionId = sessionId;
    this.#facts = facts;
    this.#tables = tables;
    this.#limits = limits;
    this.#drafts = tables.drafts.open(sessionId, tables.passages, limits.searchTextLength);
    this.#toolCalls = new ToolCalls(tables.toolCalls, sessionId);
    this.#executions = new Executions(sessionId, tables);
    this.#audit = tables.audit.open(sessionId);
  }

  take(event: AnyEvent): void {
    const { title, turn } = this.#facts;
    if (turn !== "idle" || isDeed(event)) this.#activeAt = event.at;
    this.#facts = nextFacts(this.#facts, event, this.#limits.listedTitleLength);
    if (this.#facts.title !== title)
      this.#tables.passages.put(this.#sessionId, "title", "title", event, this.#facts.title ?? "");
    this.#takeKnown(event as SessionEvent);
  }

  /** `last` is the last event that was taken. */
  write(last: Numbered): void {
    this.#drafts.write();
    for (const call of this.#toolCalls.write()) {
      const text = searchedText(call, this.#limits.searchTextLength);
      const key = `tool-call ${JSON.stringify([call.thread, call.toolCallId, call.seq])}`;
      this.#tables.passages.put(this.#sessionId, key, "tool-call", call, text);
    }
    this.#tables.sessions.write(this.#sessionId, this.#facts, {
      applied: last.seq,
      lastAt: this.#activeAt,
      newToolCalls: this.#toolCalls.started,
    });
  }

  #takeKnown(event: SessionEvent): void {
    const { passages } = this.#tables;
    switch (event.kind) {
      case "update":
        this.#update(event);
        break;
      case "prompt-queued":
      case "prompt-changed": {
        const text = promptText(event.content);
        passages.put(this.#sessionId, promptKey(event.promptId), "prompt", event, text);
        break;
      }
      case "prompt-withdrawn":
        passages.remove(this.#sessionId, promptKey(event.promptId));
        break;
      case "turn-ended":
        this.#end(event, event.stopReason === "cancelled" ? "cancelled" : "unfinished");
        break;
      case "agent-exited":
      case "session-closed":
        this.#end(event, "unfinished");
        break;
      case "turn-started":
      case "agent-started":
        this.#drafts.finishAll();
        break;
      case "error":
        this.#drafts.finish("");
        break;
      case "ask-opened":
      case "ask-settled":
        this.#ask(event);
        break;
      case "file-read":
      case "file-written":
      case "terminal-exited":
        this.#duty(event);
        break;
      case "terminal-opened":
        this.#executions.opened(event);
        this.#duty(event);
        break;
      case "terminal-restarted":
        this.#executions.restarted(event);
        this.#toolCalls.executeOpen((execution) => this.#executions.again(execution));
        this.#duty(event);
        break;
      default:
    }
  }

  #update(event: Update & Numbered): void {
    const thread = threadOf(event);
    const reading = readUpdate(event.update);
    switch (reading?.type) {
      case "message":
        this.#drafts.append(thread, reading.messageId, event, reading.text);
        break;
      case "tool-call":
        this.#toolCall(thread, reading.toolCall, event);
        break;
      case "break":
        this.#drafts.finish(thread);
        break;
      default:
    }
  }

  #toolCall(thread: string, reading: ToolCallReading, event: Numbered): KnownToolCall {
    const { turnSeq } = this.#facts;
    if (reading.ownTerminal !== null) this.#executions.shown(reading.ownTerminal);
    const news = this.#toolCalls.see(thread, reading, {
      event,
      turnSeq,
      ofNew: () => this.#executions.ofNew(this.#facts),
      read: (execution) => this.#executions.read(execution, reading.execution),
    });
    const { call, abandoned } = news;
    if (abandoned)
      this.#audit(event, "tool-ended", { ...this.#detail(abandoned), status: "unfinished" });
    if (news.isStart) {
      this.#drafts.finish(thread);
      this.#audit(event, "tool-started", this.#detail(call));
    }
    if (news.isEnd)
      this.#audit(event, "tool-ended", { ...this.#detail(call), status: call.status });
    if (news.isChangeAfterEnd) this.#audit(event, "tool-changed", this.#detail(call));
    return call;
  }

  /** Nothing that was under way goes on after this. */
  #end(event: Numbered, ended: "cancelled" | "unfinished"): void {
    this.#drafts.finishAll();
    for (const call of this.#toolCalls.endOpen(ended))
      this.#audit(event, "tool-ended", { ...this.#detail(call), status: ended });
  }

  #ask(event: Extract<SessionEvent, { kind: "ask-opened" | "ask-settled" }>): void {
    const { asks } = this.#tables;
    if (event.kind === "ask-opened") {
      this.#drafts.finish(threadOf(event));
      const reading =
        event.ask === "permission" ? readToolCall(event.toolCall, "permission") : null;
      const call = reading && this.#toolCall(threadOf(event), reading, event);
      const askId = identifier(event.askId) ?? "";
      if (call)
        this.#toolCalls.decide({ ...call, seq: event.seq }, { askId, outcome: "open", by: null });
      asks.opened(this.#sessionId, event, call && this.#detail(call));
      return;
    }
    const asked = asks.settled(this.#sessionId, event);
    const call = asked === null ? null : this.#decided(asked, identifier(event.askId) ?? "");
    this.#audit(event, asked?.ask === "question" ? "question-answered" : "permission-decided", {
      askId: event.askId,
      by: event.by,
      ...withoutAnswers(event.outcome),
      ...(asked?.toolCall ?? (asked && { toolCallId: asked.toolCallId, title: asked.title })),
      ...(call && { execution: auditedExecution(call.execution) }),
    });
  }

  /** The call that the request was about, with what came of it. */
  #decided({ isFirst, toolCallId, child, seq }: AskedFor, askId: string): KnownToolCall | null {
    const decision = isFirst ? this.#tables.asks.decision(this.#sessionId, askId) : null;
    if (decision === null || toolCallId === null) return null;
    return this.#toolCalls.decide({ thread: child ?? "", toolCallId, seq }, decision);
  }

  #detail(call: KnownToolCall): Readonly<Record<string, unknown>> {
    return toolDetail(call, this.#limits.searchTextLength);
  }

  #duty(event: DutyEvent): void {
    const { seq: _seq, at: _at, kind: _kind, ...detail } = event;
    this.#audit(event, dutyNames[event.kind], detail);
  }
}

type DutyEvent = Extract<
  SessionEvent,
  {
    kind:
      | "file-read"
      | "file-written"
      | "terminal-opened"
      | "terminal-restarted"
      | "terminal-exited";
  }
>;

const dutyNames = {
  "file-read": "file-read",
  "file-written": "file-written",
  "terminal-opened": "command-started",
  "terminal-restarted": "command-restarted",
  "terminal-exited": "command-ended",
} as const;

/** The agent's id of the child session, or nothing for the session's own thread. */
function threadOf(event: { readonly child?: string }): string {
  return identifier(event.child) ?? "";
}

function promptKey(promptId: string): string {
  return `prompt ${identifier(promptId) ?? ""}`;
}

/** The rest is for the title, names of fields, and who decided. */
const textShare = 0.75;

function toolDetail(call: KnownToolCall, length: number): Readonly<Record<string, unknown>> {
  const { toolCallId, title, kind, thread } = call;
  const { titles, kinds, isCut, ...named } = shareOut(call.named, length * textShare);
  return {
    toolCallId,
    title,
    kind,
    execution: auditedExecution(call.execution),
    ...(titles.length > 1 ? { titles } : {}),
    ...(kinds.length > 1 ? { kinds } : {}),
    ...withoutEmpty({
      toolNames: named.toolNames,
      commands: named.commands,
      paths: named.paths,
      urls: named.urls,
      mayBeCommandsOrPaths: named.others,
      mayDoMore: named.unknown,
    }),
    ...(thread === "" ? {} : { child: thread }),
    ...(isCut ? { truncated: true } : {}),
  };
}

function withoutEmpty(lists: Readonly<Record<string, readonly string[]>>): object {
  return Object.fromEntries(Object.entries(lists).filter(([, texts]) => texts.length > 0));
}

function searchedText({ title, named }: KnownToolCall, length: number): string {
  const { commands, paths, urls, others } = shareOut(named, length * textShare);
  return [...new Set([title, ...commands, ...paths, ...urls, ...others])].join("\n");
}
