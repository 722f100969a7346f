import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  decisionOf,
  type Actor,
  type AskOpened,
  type AskSettled,
  type Decision,
  type Numbered,
} from "@landline/protocol";
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
  /** Where it was asked. */
  readonly seq: number;
  readonly child: string | null;
  /** Whether this is its first answer, which is the one that counts. */
  readonly isFirst: boolean;
}

type Detail = Readonly<Record<string, unknown>>;

export class AskTable {
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #one: StatementSync;
  readonly #decided: StatementSync;
  readonly #open: StatementSync;
  readonly #openOf: StatementSync;
  readonly #length: number;

  constructor(database: DatabaseSync, length: number) {
    this.#length = length;
    this.#insert = database.prepare(
      `INSERT INTO asks (session_id, ask_id, ask, seq, at, child, tool_call_id, title, detail, tool_call, options)
       VALUES (:sessionId, :askId, :ask, :seq, :at, :child, :toolCallId, :title, :detail, :toolCall, :options)
       ON CONFLICT DO NOTHING`,
    );
    // The first answer stands, as it does in the session.
    this.#settle = database.prepare(
      `UPDATE asks SET settled_seq = ?, settled_at = ?, outcome = ?, settled_by = ?
       WHERE session_id = ? AND ask_id = ? AND settled_seq IS NULL`,
    );
    this.#one = database.prepare(
      `SELECT ask, seq, child, tool_call_id AS toolCallId, title, tool_call AS toolCall FROM asks
       WHERE session_id = ? AND ask_id = ?`,
    );
    this.#decided = database.prepare(
      `SELECT options, outcome, settled_by AS settledBy FROM asks
       WHERE session_id = ? AND ask_id = ? AND ask = 'permission' AND settled_seq IS NOT NULL`,
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
      options: JSON.stringify(isPermission ? event.options.slice(0, optionsKept).map(kindOf) : []),
    });
  }

  /** What was asked for, or null when nobody knows of it. */
  settled(sessionId: string, event: AskSettled & Numbered): AskedFor | null {
    const askId = identifier(event.askId);
    const outcome = JSON.stringify(withRule(event.outcome));
    const by = clipDetail({ ...event.by }, this.#length);
    const { changes } = this.#settle.run(event.seq, event.at, outcome, by, sessionId, askId);
    const row = this.#one.get(sessionId, askId);
    if (row === undefined) return null;
    const { toolCall } = row;
    return {
      ...(row as unknown as Omit<AskedFor, "isFirst">),
      isFirst: Number(changes) > 0,
      toolCall: typeof toolCall === "string" ? (JSON.parse(toolCall) as Detail) : null,
    };
  }

  /** How a permission request was settled; null where it is open or not known. */
  decision(sessionId: string, askId: string): Decision | null {
    const row = this.#decided.get(sessionId, askId);
    if (row === undefined) return null;
    const [options, outcome, by] = [row["options"], row["outcome"], row["settledBy"]].map(
      (text): unknown => JSON.parse(String(text)),
    );
    return decisionOf({ askId, options, outcome, by: by as Actor });
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

const optionsKept = 50;
const ruleLength = 300;

/** Of an option, whether it allows: an answer names it by its id. */
function kindOf(option: unknown): Readonly<Record<string, string | null>> {
  return {
    optionId: identifier(fieldOf(option, "optionId")),
    kind: identifier(fieldOf(option, "kind")),
  };
}

/** Which rule decided, in words, is kept too. */
function withRule(outcome: AskSettled["outcome"]): Readonly<Record<string, unknown>> {
  const kept = withoutAnswers(outcome);
  const rule = stringOf(fieldOf(fieldOf(outcome, "_meta"), "landline/rule"));
  if (rule === undefined) return kept;
  return { ...kept, _meta: { "landline/rule": cleanText(clipText(rule, ruleLength)) } };
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
