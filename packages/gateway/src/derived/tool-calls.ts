import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Numbered } from "@landline/protocol";
import { pathsKept, type ToolCallReading } from "./reading.ts";

/** Our word for a call that the agent gave no end, or `agent` when it did. */
type ToolCallEnd = "agent" | "cancelled" | "unfinished";

export interface KnownToolCall extends Numbered {
  readonly thread: string;
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: string | null;
  readonly status: string | null;
  readonly paths: readonly string[];
  readonly ended: ToolCallEnd | null;
}

export class ToolCallTable {
  readonly #one: StatementSync;
  readonly #openOf: StatementSync;
  readonly #save: StatementSync;

  constructor(database: DatabaseSync) {
    const columns =
      "thread, tool_call_id AS toolCallId, seq, at, title, kind, status, paths, ended";
    this.#one = database.prepare(
      `SELECT ${columns} FROM tool_calls WHERE session_id = ? AND thread = ? AND tool_call_id = ?`,
    );
    this.#openOf = database.prepare(
      `SELECT ${columns} FROM tool_calls INDEXED BY tool_calls_open
       WHERE session_id = ? AND ended IS NULL ORDER BY seq`,
    );
    this.#save = database.prepare(
      `INSERT INTO tool_calls (session_id, thread, tool_call_id, seq, at, title, kind, status, paths, ended)
       VALUES (:sessionId, :thread, :toolCallId, :seq, :at, :title, :kind, :status, :paths, :ended)
       ON CONFLICT DO UPDATE SET title = excluded.title, kind = excluded.kind, status = excluded.status,
         paths = excluded.paths, ended = excluded.ended`,
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
    this.#save.run({ ...call, sessionId, paths: JSON.stringify(call.paths) });
  }
}

function toolCallOf(row: Record<string, unknown>): KnownToolCall {
  return {
    ...(row as unknown as KnownToolCall),
    paths: JSON.parse(String(row["paths"])) as string[],
  };
}

/**
 * The tool calls that one transaction touches: read once, written once, however many updates there are.
 * `onStart` and `onEnd` tell of the first word on a call, and of the agent's or our own last.
 */
export class ToolCalls {
  readonly #table: ToolCallTable;
  readonly #sessionId: string;
  readonly #known = new Map<string, KnownToolCall>();
  readonly #changed = new Set<string>();
  #started = 0;

  constructor(table: ToolCallTable, sessionId: string) {
    this.#table = table;
    this.#sessionId = sessionId;
  }

  /** How many calls were new. */
  get started(): number {
    return this.#started;
  }

  /** Returns what the update was to the call: its start, its end, or nothing worth telling. */
  see(thread: string, reading: ToolCallReading, event: Numbered): ToolCallNews {
    const key = keyOf(thread, reading.toolCallId);
    const known = this.#find(key, thread, reading.toolCallId);
    const before = known ?? newToolCall(thread, reading.toolCallId, event);
    const call = merged(before, reading);
    const isEnd =
      before.ended !== "agent" && (call.status === "completed" || call.status === "failed");
    if (!known || isEnd || call !== before)
      this.#keep(key, isEnd ? { ...call, ended: "agent" } : call);
    if (!known) this.#started += 1;
    return { call, isStart: !known, isEnd };
  }

  /** Marks every call that has no end, and returns them. */
  endOpen(ended: "cancelled" | "unfinished"): readonly KnownToolCall[] {
    const open = new Map<string, KnownToolCall>();
    for (const call of this.#table.openOf(this.#sessionId))
      open.set(keyOf(call.thread, call.toolCallId), call);
    for (const [key, call] of this.#known) {
      if (call.ended === null) open.set(key, call);
      else open.delete(key);
    }
    const calls = [...open].sort(([, a], [, b]) => a.seq - b.seq);
    for (const [key, call] of calls) this.#keep(key, { ...call, ended });
    return calls.map(([, call]) => call);
  }

  /** Writes what changed, and returns it. */
  write(): KnownToolCall[] {
    const changed: KnownToolCall[] = [];
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

export interface ToolCallNews {
  readonly call: KnownToolCall;
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

function keyOf(thread: string, toolCallId: string): string {
  return JSON.stringify([thread, toolCallId]);
}

function newToolCall(thread: string, toolCallId: string, { seq, at }: Numbered): KnownToolCall {
  return {
    thread,
    toolCallId,
    seq,
    at,
    title: "",
    kind: null,
    status: null,
    paths: [],
    ended: null,
  };
}

/** The same object when the reading says nothing new. */
function merged(call: KnownToolCall, reading: ToolCallReading): KnownToolCall {
  const title = reading.title ?? call.title;
  const kind = reading.kind === undefined ? call.kind : reading.kind || null;
  const status = reading.status ?? call.status;
  const paths = withPaths(call.paths, reading.paths);
  const same =
    title === call.title && kind === call.kind && status === call.status && paths === call.paths;
  return same ? call : { ...call, title, kind, status, paths };
}

function withPaths(known: readonly string[], further: readonly string[]): readonly string[] {
  const fresh = further.filter((path) => !known.includes(path));
  return fresh.length === 0 || known.length >= pathsKept
    ? known
    : [...known, ...fresh].slice(0, pathsKept);
}
