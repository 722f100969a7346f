import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AskOpened, AskSettled, Numbered } from "@landline/protocol";
import { fieldOf, identifier, stringOf } from "./reading.ts";
import { cleanText, clipDetail, clipText } from "./text.ts";

/** A permission or a question that waits for an answer. */
export interface OpenAskSummary {
  readonly sessionId: string;
  readonly askId: string;
  readonly ask: "permission" | "question";
  readonly seq: number;
  readonly at: number;
  readonly child: string | null;
  readonly toolCallId: string | null;
  /** What the tool call is called, or what is asked. */
  readonly title: string | null;
  /** `options` of a permission or `request` of a question; `truncated` when it was too long to keep whole. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What the audit wants to say of an ask when it is settled. */
export interface AskedFor {
  readonly ask: "permission" | "question";
  readonly toolCallId: string | null;
  readonly title: string | null;
  /** What the tool call had named when permission was asked for. */
  readonly toolCall: Detail | null;
}

type Detail = Readonly<Record<string, unknown>>;

export class AskTable {
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #one: StatementSync;
  readonly #open: StatementSync;
  readonly #openOf: StatementSync;
  readonly #length: number;

  constructor(database: DatabaseSync, length: number) {
    this.#length = length;
    this.#insert = database.prepare(
      `INSERT INTO asks (session_id, ask_id, ask, seq, at, child, tool_call_id, title, detail, tool_call)
       VALUES (:sessionId, :askId, :ask, :seq, :at, :child, :toolCallId, :title, :detail, :toolCall)
       ON CONFLICT DO NOTHING`,
    );
    // The first answer stands, as it does in the session.
    this.#settle = database.prepare(
      `UPDATE asks SET settled_seq = ?, settled_at = ?, outcome = ?, settled_by = ?
       WHERE session_id = ? AND ask_id = ? AND settled_seq IS NULL`,
    );
    this.#one = database.prepare(
      `SELECT ask, tool_call_id AS toolCallId, title, tool_call AS toolCall FROM asks WHERE session_id = ? AND ask_id = ?`,
    );
    const columns = `session_id AS sessionId, ask_id AS askId, ask, seq, at, child, tool_call_id AS toolCallId, title, detail`;
    this.#open = database.prepare(
      `SELECT ${columns} FROM asks WHERE settled_seq IS NULL ORDER BY at, session_id, seq LIMIT ?`,
    );
    this.#openOf = database.prepare(
      `SELECT ${columns} FROM asks INDEXED BY asks_open_of
       WHERE settled_seq IS NULL AND session_id = ? ORDER BY seq LIMIT ?`,
    );
  }

  opened(sessionId: string, event: AskOpened & Numbered, toolCall: Detail | null): void {
    const isPermission = event.ask === "permission";
    const title = isPermission
      ? stringOf(fieldOf(event.toolCall, "title"))
      : stringOf(fieldOf(event.request, "message"));
    const toolCallId = fieldOf(isPermission ? event.toolCall : event.request, "toolCallId");
    const detail = isPermission ? { options: event.options } : { request: event.request };
    this.#insert.run({
      sessionId,
      askId: identifier(event.askId),
      ask: event.ask,
      seq: event.seq,
      at: event.at,
      child: identifier(event.child),
      toolCallId: identifier(toolCallId),
      title: title === undefined ? null : clipText(cleanText(title), this.#length),
      detail: clipDetail(detail, this.#length),
      toolCall: toolCall && clipDetail(toolCall, this.#length),
    });
  }

  /** What was asked for, or null when nobody knows of it. */
  settled(sessionId: string, event: AskSettled & Numbered): AskedFor | null {
    const askId = identifier(event.askId);
    const outcome = JSON.stringify(withoutAnswers(event.outcome));
    const by = clipDetail({ ...event.by }, this.#length);
    this.#settle.run(event.seq, event.at, outcome, by, sessionId, askId);
    const row = this.#one.get(sessionId, askId);
    if (row === undefined) return null;
    const { toolCall } = row;
    return {
      ...(row as unknown as AskedFor),
      toolCall: typeof toolCall === "string" ? (JSON.parse(toolCall) as Detail) : null,
    };
  }

  /** The one that has waited longest first. */
  open(sessionId: string | undefined, most: number): OpenAskSummary[] {
    const rows = sessionId === undefined ? this.#open.all(most) : this.#openOf.all(sessionId, most);
    return rows.map(askOf);
  }
}

function askOf(row: Record<string, unknown>): OpenAskSummary {
  const detail = JSON.parse(String(row["detail"])) as Record<string, unknown>;
  return { ...(row as unknown as OpenAskSummary), detail };
}

/** What a person typed into a form may be a secret: only that they answered is kept. */
export function withoutAnswers(outcome: AskSettled["outcome"]): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (const name of ["outcome", "optionId", "action"]) {
    const value = stringOf(fieldOf(outcome, name));
    if (value !== undefined) kept[name] = identifier(value);
  }
  return kept;
}
