import { updateKindOf, fold, isRecord, viewBefore, type SessionView } from "@landline/protocol";
import type { SessionSnapshot } from "./contract.ts";
import type { AnyEvent } from "./read-frame.ts";
import type { Api } from "./api.ts";
import { endsInTurn, foldStart } from "./fold-start.ts";
import type { Timing } from "./timing.ts";

/**
 * History before the view, read in pages, newest first. Each part is folded separately and starts between turns, so
 * the total cost is linear. Events before that start wait for the next part, at most `historyEvents` of them. A
 * longer turn is split and read twice.
 */
export class History {
  readonly #sessionId: string;
  readonly #api: Pick<Api, "readEvents">;
  readonly #timing: Timing;
  readonly #changed: () => void;
  #older: readonly SessionView[] = [];
  #state: "more" | "loading" | "failed" = "more";
  /** The sequence number before which nothing is shown yet; null until something was read. */
  #before: number | null = null;
  /** Whether a turn may span it. */
  #isCut = true;
  /** Events that were read and not shown yet. They end just before `#before`. */
  #held: readonly AnyEvent[] = [];
  #reading: Promise<void> | null = null;
  /** Incremented by `startOver`, to discard pages that were requested for an older view. */
  #start = 0;

  constructor(
    sessionId: string,
    api: Pick<Api, "readEvents">,
    timing: Timing,
    changed: () => void,
  ) {
    this.#sessionId = sessionId;
    this.#api = api;
    this.#timing = timing;
    this.#changed = changed;
  }

  get older(): readonly SessionView[] {
    return this.#older;
  }

  stateFor(view: SessionView | null): SessionSnapshot["history"] {
    return this.#placeIn(view) > 1 ? this.#state : "whole";
  }

  /** Discards everything, because the view was replaced. */
  startOver(): void {
    this.#start += 1;
    this.#older = [];
    this.#held = [];
    this.#before = null;
    this.#isCut = true;
    this.#state = "more";
    this.#reading = null;
  }

  /** Loads one more part. Does nothing when there is no older history. */
  load(view: SessionView | null): Promise<void> {
    if (!view || this.#placeIn(view) <= 1) return Promise.resolve();
    if (!this.#reading) {
      this.#reading = this.#load(view, this.#start);
      // Publish only now, so that a listener that calls `load` gets the pending promise.
      this.#put("loading");
    }
    return this.#reading;
  }

  #placeIn(view: SessionView | null): number {
    return this.#before ?? view?.trimmed?.before ?? 1;
  }

  async #load(view: SessionView, start: number): Promise<void> {
    try {
      const before = this.#placeIn(view);
      const part = await this.#readPart(before);
      const end = this.#isCut ? await this.#readEnd(before, part.events, view) : [];
      if (start === this.#start) this.#show(part, end, { before, view });
    } catch (error) {
      if (start !== this.#start) return;
      this.#reading = null;
      this.#put("failed");
      throw error;
    }
  }

  #show(
    part: Part,
    end: readonly AnyEvent[],
    { before, view }: { readonly before: number; readonly view: SessionView },
  ): void {
    const folded = fold(viewBefore(view), [...part.events, ...end]);
    const items = folded.items.filter(({ first }) => first < before);
    if (items.length > 0) this.#older = [{ ...folded, items }, ...this.#older];
    this.#before = part.events[0]?.seq ?? 1;
    this.#held = part.held;
    this.#isCut = part.isCut;
    this.#reading = null;
    this.#put("more");
  }

  /** Events before the position, from a start between turns. */
  async #readPart(before: number): Promise<Part> {
    // The newest page first.
    const pages: (readonly AnyEvent[])[] = [this.#held];
    const sessionId = this.#sessionId;
    for (;;) {
      const events = pages.toReversed().flat();
      const first = events[0]?.seq ?? before;
      if (first <= 1) return { events, held: [], isCut: false };
      const safe = foldStart(events);
      if (safe !== null) {
        return { events: events.slice(safe), held: events.slice(0, safe), isCut: false };
      }
      if (events.length >= this.#timing.historyEvents) return { events, held: [], isCut: true };
      const limit = this.#timing.pageEvents;
      const page = await this.#api.readEvents({ sessionId, before: first, limit });
      const more = page.events.filter(({ seq }) => seq < first);
      // Sequence numbers have no gaps, so an empty page means that the log cannot be read further.
      if (more.length === 0) return { events, held: [], isCut: false };
      pages.push(more);
    }
  }

  /** The rest of a turn that spans the position, which may change items before it. */
  async #readEnd(
    before: number,
    events: readonly AnyEvent[],
    view: SessionView,
  ): Promise<readonly AnyEvent[]> {
    if (!endsInTurn(events)) return [];
    const end: AnyEvent[] = [];
    let after = before - 1;
    while (after < view.head && end.length < this.#timing.historyEvents) {
      const limit = this.#timing.pageEvents;
      const page = await this.#api.readEvents({ sessionId: this.#sessionId, after, limit });
      const ended = page.events.findIndex(({ kind }) => kind === "turn-ended");
      end.push(...(ended === -1 ? page.events : page.events.slice(0, ended + 1)));
      const last = page.events.at(-1)?.seq ?? after;
      if (ended !== -1 || last <= after) break;
      after = last;
    }
    // If the following part was split inside a text, it contains the rest of the text.
    return this.#before === null ? end : end.filter((event) => !isText(event));
  }

  #put(state: "more" | "loading" | "failed"): void {
    this.#state = state;
    this.#changed();
  }
}

function isText(event: AnyEvent): boolean {
  if (event.kind !== "update" || !isRecord(event["update"])) return false;
  return updateKindOf(event["update"])?.items === "text";
}

interface Part {
  readonly events: readonly AnyEvent[];
  /** Earlier events that were also read. */
  readonly held: readonly AnyEvent[];
  /** Whether a turn spans their start. */
  readonly isCut: boolean;
}
