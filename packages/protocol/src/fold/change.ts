import type { QueuedPrompt } from "../view.ts";
import type { Item } from "../view/item.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { itemAt } from "./thread.ts";

/** A change that one event made. `seq` and `at` are those of the event. */
export type Change = ItemChange | PromptChange | TitleChange;

/** An item was created (`before` is null) or changed. Both states are those around this event. */
export interface ItemChange extends Moment {
  readonly of: "item";
  readonly item: Item;
  readonly before: Item | null;
  /** The agent's id of the child session that has the item; null for the session's own thread. */
  readonly child: string | null;
}

/**
 * A prompt was queued or changed (`prompt`), or withdrawn (null). A prompt whose turn starts is reported as an item.
 */
interface PromptChange extends Moment {
  readonly of: "prompt";
  readonly promptId: string;
  readonly prompt: QueuedPrompt | null;
}

interface TitleChange extends Moment {
  readonly of: "title";
}

interface Moment {
  readonly seq: number;
  readonly at: number;
}

interface Touch {
  readonly where: Where;
  readonly position: number;
  readonly before: Item | null;
}

/**
 * Collects the changes of one fold, in the order of the events. Items that grow by chunks are reported once, after
 * all others, because readers need only their final text.
 */
export class ChangeRecorder {
  readonly changes: Change[] = [];
  /** Items that the current event changed and items that grow, by key. */
  readonly #touched = new Map<string, Touch>();
  readonly #grown = new Map<string, Touch>();

  /** Records that the item at this position is about to change, or was just created (`isNew`). */
  touch(where: Where, position: number, item: Item, isNew: boolean): void {
    const touches = growing.has(item.type) ? this.#grown : this.#touched;
    if (touches.has(item.key)) return;
    // The draft changes its items in place, so copy the item.
    touches.set(item.key, { where, position, before: isNew ? null : { ...item } });
  }

  prompt(draft: Draft, promptId: string, prompt: QueuedPrompt | null): void {
    this.changes.push({ of: "prompt", seq: draft.seq, at: draft.at, promptId, prompt });
  }

  title(draft: Draft): void {
    this.changes.push({ of: "title", seq: draft.seq, at: draft.at });
  }

  endEvent(draft: Draft): void {
    if (this.#touched.size > 0) this.#report(draft, this.#touched);
  }

  end(draft: Draft): void {
    this.#report(draft, this.#grown);
  }

  #report(draft: Draft, touches: Map<string, Touch>): void {
    for (const { where, position, before } of touches.values()) {
      const item = itemAt(draft, where, position);
      if (item === undefined) continue;
      const child = where === "root" ? null : (draft.view.subagents[where]?.sessionId ?? null);
      const { seq, at } = draft;
      this.changes.push({ of: "item", seq, at, item: { ...item }, before, child });
    }
    touches.clear();
  }
}

const growing: ReadonlySet<Item["type"]> = new Set([
  "message",
  "thought",
  "session-message",
  "compaction",
] as const);
