import { decodeLine, emptyView, fold, trimView, type SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { viewLength } from "./view-length.ts";

interface Folding {
  /** Null until it has begun: whoever comes before that gets what the log has then. */
  head: number | null;
  readonly view: Promise<SessionView>;
}

export interface SharedViewsOptions {
  /** Where a fold may begin; null when that is at the first event. */
  readonly snapshot: (log: SessionLog) => SessionView | null;
  readonly limits: {
    readonly snapshotItems: number;
    readonly viewBytes: number;
    readonly foldsAtOnce: number;
  };
}

/**
 * What sessions look like now. A view is folded once for all who wait for it, and only so many at once: a fold holds
 * all that the view has, and what it was read from.
 */
export class SharedViews {
  readonly #options: SharedViewsOptions;
  readonly #folding = new Map<string, Folding>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: SharedViewsOptions) {
    this.#options = options;
  }

  of(log: SessionLog): Promise<SessionView> {
    const known = this.#folding.get(log.sessionId);
    if (known && (known.head === null || known.head === log.visible)) return known.view;
    const started = Promise.withResolvers<void>();
    const folding: Folding = {
      head: null,
      view: started.promise.then(() => {
        folding.head = log.visible;
        return this.#fold(log);
      }),
    };
    this.#folding.set(log.sessionId, folding);
    const end = () => {
      if (this.#folding.get(log.sessionId) === folding) this.#folding.delete(log.sessionId);
      this.#running -= 1;
      this.#startNext();
    };
    folding.view.then(end, end);
    this.#waiting.push(started.resolve);
    this.#startNext();
    return folding.view;
  }

  #startNext(): void {
    if (this.#running >= this.#options.limits.foldsAtOnce) return;
    const start = this.#waiting.shift();
    if (!start) return;
    this.#running += 1;
    start();
  }

  async #fold(log: SessionLog): Promise<SessionView> {
    const { snapshotItems, viewBytes } = this.#options.limits;
    let view = this.#options.snapshot(log) ?? emptyView();
    let grown = 0;
    for await (const { bytes } of log.read(view.head)) {
      view = fold(view, bytes.toString("utf8").trimEnd().split("\n").map(decodeLine));
      grown += bytes.length;
      // Not only at the end: a long session would be held as a whole before it is trimmed.
      if (grown < viewBytes) continue;
      view = this.#trim(view);
      grown = 0;
    }
    return this.#trim(trimView(view, snapshotItems));
  }

  /** Fewer items when they are large. What is open stays, and so does the last one. */
  #trim(view: SessionView): SessionView {
    const { snapshotItems, viewBytes } = this.#options.limits;
    let most = snapshotItems;
    let trimmed = trimView(view, most);
    while (most > 1 && viewLength(trimmed) > viewBytes) {
      most = Math.floor(most / 2);
      trimmed = trimView(trimmed, most);
    }
    return trimmed;
  }
}
