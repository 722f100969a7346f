import type { Api, Landline, Session } from "@landline/client";
import { LandlineError, type SessionEvent, type UnknownEvent } from "@landline/protocol";

type AnyEvent = SessionEvent | UnknownEvent;

/** A restarted gateway is back sooner. */
const lostMs = 90_000;
const pageEvents = 1_000;
const retryMs = 1_000;

export interface FeedRequest {
  readonly after: number;
  readonly signal: AbortSignal;
  /** The cursor belongs to another log, so the events start again from the first. */
  readonly onGap?: () => void;
}

/**
 * The events of one session, each once and in order, across reconnects. Fails if the session was deleted, if
 * authentication is refused, or if the gateway is not back after `lostMs`.
 */
export class SessionFeed implements Disposable {
  readonly #landline: Pick<Landline, "connection"> & { readonly api: Pick<Api, "readEvents"> };
  readonly #session: Session;
  readonly #held = new DisposableStack();
  #heard: AnyEvent[] = [];
  #changed = Promise.withResolvers<void>();
  #lostTimer: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor(landline: Landline, session: Session) {
    this.#landline = landline;
    this.#session = session;
    const wake = () => this.#changed.resolve();
    this.#held.defer(
      session.onEvents((events) => {
        this.#heard.push(...events);
        wake();
      }),
    );
    this.#held.defer(session.subscribe(wake));
    this.#held.defer(landline.connection.subscribe(() => this.#connectionChanged()));
    this.#held.defer(() => clearTimeout(this.#lostTimer));
  }

  /** The sequence number of the last event, once all of them are loaded. */
  async head(): Promise<number> {
    while (this.#state() !== "live") await this.#change();
    return this.#head;
  }

  async *events({ after, signal, onGap }: FeedRequest): AsyncGenerator<AnyEvent> {
    const wake = () => this.#changed.resolve();
    signal.addEventListener("abort", wake);
    let last = after;
    while (!signal.aborted) {
      if (this.#state() === "live" && this.#head < last) {
        onGap?.();
        last = 0;
      }
      const events = await this.#next(last);
      if (events.length === 0) await this.#change();
      for (const event of events) {
        if (signal.aborted) return;
        last = event.seq;
        yield event;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#held.dispose();
  }

  /** The events after the cursor: as received, or from the log if the client started with a snapshot. */
  async #next(last: number): Promise<readonly AnyEvent[]> {
    const fresh = this.#heard.filter(({ seq }) => seq > last);
    this.#heard = [];
    if (fresh[0]?.seq === last + 1) return fresh;
    if (this.#head <= last) return [];
    try {
      const page = { sessionId: this.#session.id, after: last, limit: pageEvents };
      return (await this.#landline.api.readEvents(page)).events;
    } catch (error) {
      if (!isPassing(error)) throw error;
      setTimeout(() => this.#changed.resolve(), retryMs);
      return [];
    }
  }

  async #change(): Promise<void> {
    await this.#changed.promise;
    this.#changed = Promise.withResolvers();
  }

  get #head(): number {
    return this.#session.getSnapshot().view?.head ?? 0;
  }

  /** Throws errors that waiting does not resolve. */
  #state(): string {
    const { state, error } = this.#session.getSnapshot();
    const line = this.#landline.connection.getSnapshot();
    if (state === "gone") throw new LandlineError("session-not-found");
    if (state === "failed") throw error ?? new LandlineError("internal-error");
    if (line.state === "refused" || this.#isLost)
      throw line.error ?? new LandlineError("connection-lost");
    return state;
  }

  #connectionChanged(): void {
    if (this.#landline.connection.getSnapshot().state === "online") {
      clearTimeout(this.#lostTimer);
      this.#lostTimer = undefined;
    } else {
      this.#lostTimer ??= setTimeout(() => {
        this.#isLost = true;
        this.#changed.resolve();
      }, lostMs);
    }
    this.#changed.resolve();
  }
}

/** Whether a reconnect or a retry resolves the error. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof LandlineError)) return false;
  return error.code === "connection-lost" || error.code === "rate-limited";
}
