import type { SessionView } from "../view.ts";
import type { ChangeRecorder } from "./change.ts";
import type { Lookup } from "./lookup.ts";

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * A mutable copy of a view. The original and its parts do not change: the draft copies a part before the first change
 * and then owns the copy, so it copies each part at most once per fold.
 */
export class Draft {
  readonly view: Mutable<SessionView>;
  readonly lookup: Lookup;
  /** The sequence number and time of the current event. */
  seq = 0;
  at = 0;
  /** Positions of subagents that were merged into others. They are removed at the end of the fold. */
  readonly mergedSubagents = new Set<number>();
  /** Null when the caller needs only the view. */
  readonly changes: ChangeRecorder | null;
  readonly #owned = new Set<object>();

  constructor(view: SessionView, lookup: Lookup, changes: ChangeRecorder | null) {
    this.view = { ...view };
    this.lookup = lookup;
    this.changes = changes;
  }

  /** Returns the part if the draft owns it, else a copy. The caller stores the result in the view. */
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
