import {
  LandlineError,
  summaryOf,
  type Block,
  type Change,
  type Limits,
  type MessageItem,
  type SessionView,
} from "@landline/protocol";
import type { ReadableLog } from "../log/log.ts";
import type { AnyEvent } from "./any-event.ts";
import { auditRows } from "./audit-rows.ts";
import { callText, type CallRecord } from "./call-record.ts";
import { CallRecords } from "./call-records.ts";
import { foldWithSnapshots, type FoldState } from "./fold-with-snapshots.ts";
import type { IndexRows, Passage } from "./index-rows.ts";
import { joinedFrom, type LogEvent } from "./line-decoder.ts";
import { longText, withLongTexts, type ReadChange } from "./long-texts.ts";

export interface SessionIndexOptions {
  readonly log: ReadableLog;
  readonly limits: Limits;
  /** The stored record of a call. */
  readonly record: (key: string) => CallRecord | null;
}

/**
 * The fold of a session in the index: reads runs of events and returns their rows. Call `commit` once they are written;
 * until then the same run may be read again.
 */
export class SessionIndex {
  readonly #options: SessionIndexOptions;
  #foldState: FoldState;
  /** Messages whose current text is not searchable yet, by key. */
  #unfinished: ReadonlyMap<string, MessageItem>;

  constructor(
    options: SessionIndexOptions,
    foldState: FoldState,
    unfinished: readonly string[] = [],
  ) {
    this.#options = options;
    this.#foldState = foldState;
    const keys = new Set(unfinished);
    this.#unfinished = new Map(messagesIn(foldState.view, keys).map((item) => [item.key, item]));
  }

  get view(): SessionView {
    return this.#foldState.view;
  }

  /** `storesSnapshot`: whether the rows contain a snapshot that the run makes. */
  async read(events: readonly LogEvent[], storesSnapshot = true): Promise<ReadRun> {
    const { log, limits } = this.#options;
    const { sessionId } = log;
    const after = this.view.head;
    const run = inOrder(sessionId, after, events);
    const {
      foldState,
      snapshot,
      changes: folded,
    } = foldWithSnapshots(this.#foldState, run, limits);
    const changes = await withLongTexts(log, folded, limits.searchTextLength);
    const calls = new CallRecords(this.#options.record);
    const audit = auditRows(run, changes, calls, limits.searchTextLength);
    const { finished, unfinished } = this.#messages(changes, foldState.view);
    const summary = summaryOf(sessionId, foldState.view);
    const rows: IndexRows = {
      after,
      summary,
      agentSessionId: foldState.view.agent.agentSessionId,
      audit,
      passages: [
        ...this.#passages(changes, calls, summary.title),
        ...(await this.#messagePassages(finished)),
      ],
      calls: calls.changed,
      unfinished: [...unfinished.keys()],
      snapshot: storesSnapshot ? snapshot : null,
    };
    return {
      rows,
      commit: () => {
        this.#foldState = foldState;
        this.#unfinished = unfinished;
      },
    };
  }

  /** Makes unfinished messages searchable; null when there are none. */
  async readUnfinished(): Promise<ReadRun | null> {
    if (this.#unfinished.size === 0) return null;
    const rows: IndexRows = {
      after: this.view.head,
      summary: summaryOf(this.#options.log.sessionId, this.view),
      agentSessionId: this.view.agent.agentSessionId,
      audit: [],
      passages: await this.#messagePassages([...this.#unfinished.values()]),
      calls: new Map(),
      unfinished: [],
      snapshot: null,
    };
    return {
      rows,
      commit: () => {
        this.#unfinished = new Map();
      },
    };
  }

  /** A message is indexed once, when another item follows or the turn ends, and not for each chunk. */
  #messages(changes: readonly Change[], view: SessionView) {
    const changed = new Map(this.#unfinished);
    for (const change of changes)
      if (change.of === "item" && isAnswer(change.item)) changed.set(change.item.key, change.item);
    const last =
      view.turn.state === "idle"
        ? new Set<string>()
        : new Set([view, ...view.subagents].flatMap(({ items }) => items.at(-1)?.key ?? []));
    const [finished, unfinished] = [new Map<string, MessageItem>(), new Map<string, MessageItem>()];
    for (const [key, item] of changed) (last.has(key) ? unfinished : finished).set(key, item);
    return { finished: [...finished.values()], unfinished };
  }

  async #messagePassages(messages: readonly MessageItem[]): Promise<readonly Passage[]> {
    const { log, limits } = this.#options;
    const passages: Passage[] = [];
    for (const { key, first: seq, at, content } of messages) {
      const text = await longText(log, content, limits.searchTextLength);
      passages.push({ key, kind: "message", seq, at, text });
    }
    return passages;
  }

  #passages(
    changes: readonly ReadChange[],
    calls: CallRecords,
    title: string | null,
  ): readonly Passage[] {
    const length = this.#options.limits.searchTextLength;
    const passages = new Map<string, Passage>();
    for (const change of changes) {
      const { seq, at } = change;
      if (change.of === "title")
        passages.set("title", { key: "title", kind: "title", seq, at, text: title ?? "" });
      else if (change.of === "prompt") {
        const key = `prompt ${change.promptId}`;
        const text = promptText(change.prompt?.content ?? []);
        passages.set(key, { key, kind: "prompt", seq, at, text });
      } else if (change.item.type === "tool-call") {
        const { key, first, at: startedAt } = change.item;
        const text = callText(change.item, calls.of(key), length);
        passages.set(key, { key, kind: "tool-call", seq: first, at: startedAt, text });
      }
    }
    return [...passages.values()];
  }
}

export interface ReadRun {
  readonly rows: IndexRows;
  /** Call it when the rows are written. */
  readonly commit: () => void;
}

/** Messages of the agent to the person. Thoughts and reported messages of others are not searchable. */
function isAnswer(item: { readonly type: string }): item is MessageItem {
  return item.type === "message" && (item as MessageItem).role === "agent";
}

function messagesIn(view: SessionView, keys: ReadonlySet<string>): readonly MessageItem[] {
  if (keys.size === 0) return [];
  const items = [view, ...view.subagents].flatMap((thread) => thread.items);
  return items.filter(isAnswer).filter(({ key }) => keys.has(key));
}

/** The searchable text of a prompt: its text and links. */
function promptText(content: readonly Block[]): string {
  const parts = content.map((block) =>
    block.type === "text" ? block.text : (block as { readonly uri?: unknown }).uri,
  );
  return parts.filter((part) => typeof part === "string").join("\n");
}

/** Omits events that the view already contains; a missing event is an error. */
function inOrder(sessionId: string, after: number, events: readonly LogEvent[]): AnyEvent[] {
  const run: AnyEvent[] = [];
  let last = after;
  for (const event of events) {
    if (event.seq <= last) continue;
    const first = event[joinedFrom] ?? event.seq;
    if (first !== last + 1) throw missing(sessionId, last + 1, first);
    run.push(withWholeTime(event));
    last = event.seq;
  }
  return run;
}

function missing(sessionId: string, expected: number, found: number): LandlineError {
  return new LandlineError("internal-error", {
    message: `Session ${sessionId}: expected event ${expected}, found ${found}.`,
    data: { sessionId, expected, found },
  });
}

/** Time columns hold integers, but a log written by hand may have other numbers. */
function withWholeTime(event: AnyEvent): AnyEvent {
  if (Number.isSafeInteger(event.at)) return event;
  const limit = Number.MAX_SAFE_INTEGER;
  return { ...event, at: Math.trunc(Math.min(limit, Math.max(-limit, event.at))) };
}
