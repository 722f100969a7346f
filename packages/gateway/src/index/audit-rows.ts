import {
  isOpenToolCall,
  type AskItem,
  type AskSettled,
  type ItemChange,
  type SessionEvent,
  type ToolCallItem,
} from "@landline/protocol";
import type { AuditKind } from "./audit-table.ts";
import { auditedExecution } from "./audited-execution.ts";
import type { AnyEvent } from "./any-event.ts";
import {
  callDetail,
  mayNameMore,
  namesAnotherCommand,
  noRecord,
  withNames,
} from "./call-record.ts";
import type { CallRecords } from "./call-records.ts";
import type { ReadChange } from "./long-texts.ts";

export interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly what: AuditKind;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The audit rows of a run of events and their changes to the view. `length` limits the characters of a detail. */
export function auditRows(
  events: readonly AnyEvent[],
  changes: readonly ReadChange[],
  calls: CallRecords,
  length: number,
): AuditRow[] {
  const audit = new Audit(calls, length);
  const bySeq = Map.groupBy(changes.filter(isOfItem), ({ seq }) => seq);
  for (const event of events) {
    for (const change of bySeq.get(event.seq) ?? []) audit.call(change);
    for (const change of bySeq.get(event.seq) ?? []) audit.request(change);
    audit.service(event as SessionEvent);
  }
  return audit.rows;
}

function isOfItem(change: ReadChange): change is ReadChange & ItemChange {
  return change.of === "item";
}

class Audit {
  readonly rows: AuditRow[] = [];
  readonly #calls: CallRecords;
  readonly #length: number;
  /** The call that the current event changed last, for a permission request in the same event. */
  #latest: { readonly item: ToolCallItem; readonly change: ItemChange } | null = null;

  constructor(calls: CallRecords, length: number) {
    this.#calls = calls;
    this.#length = length;
  }

  call(change: ItemChange & ReadChange): void {
    const { item, before } = change;
    if (item.type !== "tool-call") return;
    const known = before?.type === "tool-call" ? before : null;
    this.#latest = { item, change };
    const earlier = known === null ? noRecord : this.#calls.of(item.key);
    const record = mayNameMore(item, known)
      ? withNames(earlier, item, change.isCut === true)
      : earlier;
    if (known === null || record !== earlier) this.#calls.set(item.key, record);
    const detail = () => callDetail(item, record, change.child, this.#length);
    if (known === null) this.#add(change, "tool-started", detail());
    const [end, endBefore] = [endOf(item), known && endOf(known)];
    // A late or different end is recorded as another end.
    if (end !== null && end !== endBefore)
      this.#add(change, "tool-ended", { ...detail(), status: end });
    else if (known !== null && record !== earlier) {
      const isOther = endBefore !== null || namesAnotherCommand(earlier.named, record.named);
      if (isOther) this.#add(change, "tool-changed", detail());
    }
  }

  /** A permission request or a question. When it is settled, the row has the call as it was when the request opened. */
  request(change: ItemChange): void {
    const { item, before } = change;
    if (item.type !== "ask") return;
    const known = before?.type === "ask" ? before : null;
    const call = this.#callOf(item, change);
    if (known === null && call !== null) {
      const record = this.#calls.of(call.key);
      const detail = callDetail(call, record, change.child, this.#length);
      this.#calls.set(call.key, { ...record, asked: { ...record.asked, [item.askId]: detail } });
    }
    if (item.settled === null || (known !== null && known.settled !== null)) return;
    const { outcome, by } = item.settled;
    this.#add(change, item.ask === "question" ? "question-answered" : "permission-decided", {
      askId: item.askId,
      by,
      ...withoutAnswers(outcome),
      ...this.#asked(item, call),
    });
  }

  /** Adds a row for a file access or a command that the gateway executed for the agent. */
  service(event: SessionEvent): void {
    const what = services[event.kind];
    if (what === undefined) return;
    const { seq, at, kind: _kind, ...detail } = event;
    this.rows.push({ seq, at, what, detail });
  }

  /** Returns the tool call of a permission request. The same event changes both. */
  #callOf(item: AskItem, { seq, child }: ItemChange): ToolCallItem | null {
    if (item.ask !== "permission" || this.#latest === null) return null;
    const { item: call, change } = this.#latest;
    const isOfEvent = change.seq === seq && change.child === child;
    return isOfEvent && call.toolCallId === item.toolCallId ? call : null;
  }

  #asked(item: AskItem, call: ToolCallItem | null): Readonly<Record<string, unknown>> {
    if (item.ask === "question") {
      const { message, toolCallId = null } = item.request as {
        message?: unknown;
        toolCallId?: unknown;
      };
      return { toolCallId, title: typeof message === "string" ? message : null };
    }
    if (call === null) return { toolCallId: item.toolCallId };
    const record = this.#calls.of(call.key);
    const { [item.askId]: detail, ...asked } = record.asked;
    this.#calls.set(call.key, { ...record, asked });
    return { ...detail, execution: auditedExecution(call.execution) };
  }

  #add({ seq, at }: ItemChange, what: AuditKind, detail: AuditRow["detail"]): void {
    this.rows.push({ seq, at, what, detail });
  }
}

/** How the call ended, as reported by the agent or the gateway; null while it is open. */
function endOf(item: ToolCallItem): string | null {
  return isOpenToolCall(item) ? null : (item.ended ?? item.status);
}

const services: Readonly<Partial<Record<string, AuditKind>>> = {
  "file-read": "file-read",
  "file-written": "file-written",
  "terminal-opened": "command-started",
  "terminal-restarted": "command-restarted",
  "terminal-exited": "command-ended",
};

/** Form input may be a secret, so only the outcome is recorded. */
function withoutAnswers(outcome: AskSettled["outcome"]): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  const { outcome: result, optionId, action } = outcome as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries({ outcome: result, optionId, action }))
    if (typeof value === "string") fields[name] = value;
  return fields;
}
