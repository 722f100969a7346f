import type { QueuedPrompt } from "../view.ts";
import type { Item } from "../view/item.ts";
import type { Draft } from "./draft.ts";
import type { Where } from "./lookup.ts";
import { itemAt } from "./thread.ts";

/** What one event of a fold changed. `seq` and `at` are those of the event. */
export type Change = ItemChange | PromptChange | TitleChange;

/** An item was made (`before` is null) or changed. Both states are as they were around this event. */
export interface ItemChange extends Moment {
  readonly of: "item";
  readonly item: Item;
  readonly before: Item | null;
  /** The agent's id of the child session in whose thread it is; null for the session's own thread. */
  readonly child: string | null;
}

/** A prompt was queued or changed (`prompt`), or was withdrawn (null). One whose turn starts is an item. */
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
 * Collects the changes of one fold, in the order of the events. Items that grow chunk by chunk are reported once for
 * the whole fold, after all others: what matters of them is the text that they have then.
 */
export class ChangeRecorder {
  readonly changes: Change[] = [];
  /** By item key: of the present event, and of items that grow. */
  readonly #touched = new Map<string, Touch>();
  readonly #grown = new Map<string, Touch>();

  /** The item at this place is about to change; `before` is null where it was just made. */
  touch(where: Where, position: number, item: Item, isNew: boolean): void {
    const touches = growing.has(item.type) ? this.#grown : this.#touched;
    if (touches.has(item.key)) return;
    // A copy, because an item of the draft is changed in place.
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
