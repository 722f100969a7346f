import { decodeLine, emptyView, fold, trimView, type SessionView } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { linesOf } from "../log/log-lines.ts";
import { viewLength } from "./view-length.ts";

interface Folding {
  /** Null until the fold starts. Until then, later callers can share it. */
  head: number | null;
  readonly view: Promise<SessionView>;
}

export interface SharedViewsOptions {
  /** The snapshot to start from; null to start at the first event. */
  readonly snapshot: (log: SessionLog) => SessionView | null;
  readonly limits: {
    readonly snapshotItems: number;
    readonly viewBytes: number;
    readonly foldsAtOnce: number;
  };
}

/**
 * The current views of sessions. Concurrent callers share one fold, and the number of concurrent folds is limited,
 * because each holds a whole view and its source.
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
    for await (const chunk of log.read(view.head)) {
      view = fold(view, linesOf(chunk).map(decodeLine));
      grown += chunk.bytes.length;
      // Trims during the fold too, so that a long session is never in memory as a whole.
      if (grown < viewBytes) continue;
      view = this.#trim(view);
      grown = 0;
    }
    return this.#trim(trimView(view, snapshotItems));
  }

  /** Keeps fewer items if they are large. Open items and the last item stay. */
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
