import type { DatabaseSync, StatementSync } from "node:sqlite";
import { withDecision, type Decision, type Execution, type Numbered } from "@landline/protocol";
import { isAnotherCall } from "../tool-calls/another-call.ts";
import { type CallTexts, mergedTexts, noTexts } from "./call-texts.ts";
import type { ToolCallReading } from "./reading.ts";

/** Our word for a call that the agent gave no end, or `agent` when it did. */
type ToolCallEnd = "agent" | "cancelled" | "unfinished";

export interface KnownToolCall extends Numbered {
  readonly thread: string;
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: string | null;
  readonly status: string | null;
  /** Everything that the call and its permission requests ever named, oldest first. */
  readonly named: CallTexts;
  readonly ended: ToolCallEnd | null;
  readonly execution: Execution;
}

/** The latest call with each id: agents may use an id again once its call has ended. */
export class ToolCallTable {
  readonly #one: StatementSync;
  readonly #openOf: StatementSync;
  readonly #save: StatementSync;

  constructor(database: DatabaseSync) {
    const columns =
      "thread, tool_call_id AS toolCallId, seq, at, title, kind, status, named, ended, execution";
    this.#one = database.prepare(
      `SELECT ${columns} FROM tool_calls WHERE session_id = ? AND thread = ? AND tool_call_id = ?`,
    );
    this.#openOf = database.prepare(
      `SELECT ${columns} FROM tool_calls INDEXED BY tool_calls_open
       WHERE session_id = ? AND ended IS NULL ORDER BY seq`,
    );
    this.#save = database.prepare(
      `INSERT INTO tool_calls (session_id, thread, tool_call_id, seq, at, title, kind, status, named, ended, execution)
       VALUES (:sessionId, :thread, :toolCallId, :seq, :at, :title, :kind, :status, :named, :ended, :execution)
       ON CONFLICT DO UPDATE SET seq = excluded.seq, at = excluded.at, title = excluded.title, kind = excluded.kind,
         status = excluded.status, named = excluded.named, ended = excluded.ended,
         execution = excluded.execution`,
    );
  }

  one(sessionId: string, thread: string, toolCallId: string): KnownToolCall | null {
    const row = this.#one.get(sessionId, thread, toolCallId);
    return row ? toolCallOf(row) : null;
  }

  openOf(sessionId: string): KnownToolCall[] {
    return this.#openOf.all(sessionId).map(toolCallOf);
  }

  save(sessionId: string, call: KnownToolCall): void {
    const execution = JSON.stringify(call.execution).toWellFormed();
    this.#save.run({ ...call, sessionId, named: JSON.stringify(call.named), execution });
  }
}

function toolCallOf(row: Record<string, unknown>): KnownToolCall {
  return {
    ...(row as unknown as KnownToolCall),
    named: JSON.parse(String(row["named"])) as CallTexts,
    execution: JSON.parse(String(row["execution"])) as Execution,
  };
}

/**
 * The tool calls that one transaction touches: read once, written once, however many updates there are.
 */
export class ToolCalls {
  readonly #table: ToolCallTable;
  readonly #sessionId: string;
  readonly #known = new Map<string, KnownToolCall>();
  readonly #changed = new Set<string>();
  /** Changed calls whose ids were used again since. */
  readonly #replaced: KnownToolCall[] = [];
  #started = 0;

  constructor(table: ToolCallTable, sessionId: string) {
    this.#table = table;
    this.#sessionId = sessionId;
  }

  /** How many calls were new. */
  get started(): number {
    return this.#started;
  }

  see(
    thread: string,
    reading: ToolCallReading,
    { event, turnSeq, ofNew, read }: Sight,
  ): ToolCallNews {
    const key = keyOf(thread, reading.toolCallId);
    const known = this.#find(key, thread, reading.toolCallId);
    const isStart = known === null || isAnother(known, reading, turnSeq);
    const before = isStart ? newToolCall(thread, reading.toolCallId, event, ofNew()) : known;
    const call = merged(before, reading, read(before.execution));
    const isEnd =
      before.ended !== "agent" && (call.status === "completed" || call.status === "failed");
    if (isStart) {
      this.#started += 1;
      if (known && this.#changed.has(key)) this.#replaced.push(known);
    }
    if (isStart || isEnd || call !== before)
      this.#keep(key, isEnd ? { ...call, ended: "agent" } : call);
    return {
      call,
      isStart,
      isEnd,
      isChangeAfterEnd: before.ended !== null && !isEnd && call.named !== before.named,
      abandoned: isStart && known?.ended === null ? known : null,
    };
  }

  /** The call that a request of event `seq` was about, with what came of it; null when the id is another call's now. */
  decide(
    { thread, toolCallId, seq }: { thread: string; toolCallId: string; seq: number },
    decision: Decision,
  ): KnownToolCall | null {
    const key = keyOf(thread, toolCallId);
    const known = this.#find(key, thread, toolCallId);
    if (known === null || known.seq > seq) return null;
    const call = { ...known, execution: withDecision(known.execution, decision) };
    this.#keep(key, call);
    return call;
  }

  /** Tells anew how the calls that have no end are executed. */
  executeOpen(again: (execution: Execution) => Execution): void {
    for (const [key, call] of this.#open()) {
      const execution = again(call.execution);
      if (execution !== call.execution) this.#keep(key, { ...call, execution });
    }
  }

  /** Marks every call that has no end, and returns them. */
  endOpen(ended: "cancelled" | "unfinished"): readonly KnownToolCall[] {
    const calls = this.#open();
    for (const [key, call] of calls) this.#keep(key, { ...call, ended });
    return calls.map(([, call]) => call);
  }

  #open(): readonly (readonly [string, KnownToolCall])[] {
    const open = new Map<string, KnownToolCall>();
    for (const call of this.#table.openOf(this.#sessionId))
      open.set(keyOf(call.thread, call.toolCallId), call);
    for (const [key, call] of this.#known) {
      if (call.ended === null) open.set(key, call);
      else open.delete(key);
    }
    return [...open].sort(([, a], [, b]) => a.seq - b.seq);
  }

  /** Writes what changed, and returns it. */
  write(): KnownToolCall[] {
    const changed: KnownToolCall[] = [...this.#replaced];
    for (const key of this.#changed) {
      const call = this.#known.get(key);
      if (!call) continue;
      this.#table.save(this.#sessionId, call);
      changed.push(call);
    }
    return changed;
  }

  #find(key: string, thread: string, toolCallId: string): KnownToolCall | null {
    const known = this.#known.get(key) ?? this.#table.one(this.#sessionId, thread, toolCallId);
    if (known) this.#known.set(key, known);
    return known;
  }

  #keep(key: string, call: KnownToolCall): void {
    this.#known.set(key, call);
    this.#changed.add(key);
  }
}

interface Sight {
  readonly event: Numbered;
  /** The event that started the latest turn. */
  readonly turnSeq: number;
  /** How a call that begins now is executed. */
  readonly ofNew: () => Execution;
  /** … and how, with what the message says. */
  readonly read: (execution: Execution) => Execution;
}

export interface ToolCallNews {
  readonly call: KnownToolCall;
  readonly isStart: boolean;
  readonly isEnd: boolean;
  /** The call had ended, and now names something that it had not named before. */
  readonly isChangeAfterEnd: boolean;
  /** The call that had the same id and never ended. */
  readonly abandoned: KnownToolCall | null;
}

function isAnother(known: KnownToolCall, { source }: ToolCallReading, turnSeq: number): boolean {
  return isAnotherCall(source, {
    isEnded: known.ended !== null,
    isOfEarlierTurn: known.seq < turnSeq,
  });
}

function keyOf(thread: string, toolCallId: string): string {
  return JSON.stringify([thread, toolCallId]);
}

function newToolCall(
  thread: string,
  toolCallId: string,
  { seq, at }: Numbered,
  execution: Execution,
): KnownToolCall {
  return {
    thread,
    toolCallId,
    seq,
    at,
    title: "",
    kind: null,
    status: null,
    named: noTexts,
    ended: null,
    execution,
  };
}

/** The same object when the reading says nothing new. */
function merged(
  call: KnownToolCall,
  reading: ToolCallReading,
  execution: Execution,
): KnownToolCall {
  const title = reading.title ?? call.title;
  const kind = reading.kind === undefined ? call.kind : reading.kind || null;
  const status = reading.status ?? call.status;
  const named = mergedTexts(call.named, reading.named);
  const same =
    title === call.title &&
    kind === call.kind &&
    status === call.status &&
    named === call.named &&
    execution === call.execution;
  return same ? call : { ...call, title, kind, status, named, execution };
}
