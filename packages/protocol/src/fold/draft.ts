import type { SessionView } from "../view.ts";
import type { ChangeRecorder } from "./change.ts";
import type { Lookup } from "./lookup.ts";

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * A view under change. The view that was given, and everything in it, is never touched: a part is copied
 * before its first change and belongs to the draft from then on, so each part is copied at most once
 * however many events are folded.
 */
export class Draft {
  readonly view: Mutable<SessionView>;
  readonly lookup: Lookup;
  /** The number and the time of the event that is being folded. */
  seq = 0;
  at = 0;
  /** Positions of subagents that were merged into others: their slots are closed when the fold ends. */
  readonly mergedSubagents = new Set<number>();
  /** Null for a fold of which only the view is wanted. */
  readonly changes: ChangeRecorder | null;
  readonly #owned = new Set<object>();

  constructor(view: SessionView, lookup: Lookup, changes: ChangeRecorder | null) {
    this.view = { ...view };
    this.lookup = lookup;
    this.changes = changes;
  }

  /** The part itself when the draft made it, else a copy; the caller puts the result in its place. */
  list<Entry>(part: readonly Entry[]): Entry[] {
    return this.#owned.has(part) ? (part as Entry[]) : this.adopt([...part]);
  }

  part<Part extends object>(part: Part): Mutable<Part> {
    return this.#owned.has(part) ? part : this.adopt({ ...part });
  }

  /** Marks a new object as the draft's own. */
  adopt<Part extends object>(part: Part): Part {
    this.#owned.add(part);
    return part;
  }
}
