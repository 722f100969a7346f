import { fold, isRecord, viewBefore, type SessionView } from "@landline/protocol";
import type { SessionSnapshot } from "./contract.ts";
import type { AnyEvent } from "./read-frame.ts";
import type { Api } from "./api.ts";
import { endsInTurn, safeStart } from "./safe-start.ts";
import type { Timing } from "./timing.ts";

/**
 * What came before the view, read in pages, newest first. Each part is folded by itself, from a place where no
 * turn is cut, so all of it costs no more than its events. Events before that place wait for the next part:
 * at most `historyEvents` of them. A turn that is longer is cut all the same, and read twice.
 */
export class History {
  readonly #sessionId: string;
  readonly #api: Pick<Api, "readEvents">;
  readonly #timing: Timing;
  readonly #changed: () => void;
  #older: readonly SessionView[] = [];
  #state: "more" | "loading" | "failed" = "more";
  /** The number before which everything is still to be shown; null until something was read. */
  #before: number | null = null;
  /** Whether a turn may lie across it. */
  #isCut = true;
  /** Events that were read and are not shown yet; they end just before `#before`. */
  #held: readonly AnyEvent[] = [];
  #reading: Promise<void> | null = null;
  /** Counts starts, so that what is read for an older view is not shown. */
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

  /** The view is another one, and begins elsewhere. */
  startOver(): void {
    this.#start += 1;
    this.#older = [];
    this.#held = [];
    this.#before = null;
    this.#isCut = true;
    this.#state = "more";
    this.#reading = null;
  }

  /** One part more. Does nothing when there is nothing older. */
  load(view: SessionView | null): Promise<void> {
    if (!view || this.#placeIn(view) <= 1) return Promise.resolve();
    if (!this.#reading) {
      this.#reading = this.#load(view, this.#start);
      // Told only now: whoever asks for more when told is given the reading that is under way.
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

  /** Events up to the place, from one where no turn is cut. */
  async #readPart(before: number): Promise<Part> {
    // The newest page first.
    const pages: (readonly AnyEvent[])[] = [this.#held];
    const sessionId = this.#sessionId;
    for (;;) {
      const events = pages.toReversed().flat();
      const first = events[0]?.seq ?? before;
      if (first <= 1) return { events, held: [], isCut: false };
      const safe = safeStart(events);
      if (safe !== null) {
        return { events: events.slice(safe), held: events.slice(0, safe), isCut: false };
      }
      if (events.length >= this.#timing.historyEvents) return { events, held: [], isCut: true };
      const limit = this.#timing.pageEvents;
      const page = await this.#api.readEvents({ sessionId, before: first, limit });
      const more = page.events.filter(({ seq }) => seq < first);
      // Numbers are dense: before the first of a log that can be read there is always one.
      if (more.length === 0) return { events, held: [], isCut: false };
      pages.push(more);
    }
  }

  /** How a turn that lies across the place went on: what it shows before the place may have changed after it. */
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
    // Where the part that follows was cut in the middle of a text, it has the rest of it.
    return this.#before === null ? end : end.filter((event) => !isText(event));
  }

  #put(state: "more" | "loading" | "failed"): void {
    this.#state = state;
    this.#changed();
  }
}

function isText(event: AnyEvent): boolean {
  if (event.kind !== "update" || !isRecord(event["update"])) return false;
  return String(event["update"]["sessionUpdate"]).endsWith("_chunk");
}

interface Part {
  readonly events: readonly AnyEvent[];
  /** What came before them and was read already. */
  readonly held: readonly AnyEvent[];
  /** Whether a turn lies across their start. */
  readonly isCut: boolean;
}
