import { setNewest } from "@landline/system/evict-oldest";
import { LandlineError, type LimitName, type Limits } from "@landline/protocol";
import type { Services } from "./services.ts";

const MINUTE_MS = 60_000;

/**
 * Rate limits of clients across all transports. A refused request gets a retry time; nothing is queued. Counters exist
 * for the most recently active clients.
 */
export class Rates {
  readonly #requests: Counts<Bucket>;
  readonly #errors: Counts<Bucket>;
  readonly #prompts: Counts<Window>;

  constructor(limits: Limits, now: () => number = () => performance.now()) {
    const most = limits.rateKeysKept;
    this.#requests = new Counts(most, () => new Bucket(limits.requestsPerMinute, now));
    this.#errors = new Counts(most, () => new Bucket(limits.errorRepliesPerMinute, now));
    this.#prompts = new Counts(most, () => new Window(limits.promptsPerMinute, now));
  }

  /** Throws `rate-limited`. */
  takeRequest(client: string): void {
    refuseUnlessFree("requestsPerMinute", this.#requests.of(client).take());
  }

  /** Throws `rate-limited`. */
  takePrompt(sessionId: string): void {
    refuseUnlessFree("promptsPerMinute", this.#prompts.of(sessionId).take());
  }

  /** Returns the time to wait, or 0 when an error reply may be sent now. */
  takeErrorReply(client: string): number {
    return this.#errors.of(client).take();
  }
}

const shared = new WeakMap<Services, Rates>();

/** The counter that all transports of a gateway share. */
export function ratesOf(services: Services): Rates {
  const known = shared.get(services);
  if (known) return known;
  const rates = new Rates(services.limits);
  shared.set(services, rates);
  return rates;
}

function refuseUnlessFree(limit: LimitName, waitMs: number): void {
  if (waitMs === 0) return;
  throw new LandlineError("rate-limited", { retryAfterMs: Math.ceil(waitMs), data: { limit } });
}

class Counts<Count> {
  readonly #counts = new Map<string, Count>();
  readonly #most: number;
  readonly #make: () => Count;

  constructor(most: number, make: () => Count) {
    this.#most = most;
    this.#make = make;
  }

  of(key: string): Count {
    const count = this.#counts.get(key) ?? this.#make();
    setNewest(this.#counts, [key, count], this.#most);
    return count;
  }
}

/** A token bucket that holds one minute's worth. */
class Bucket {
  readonly #perMinute: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#left = perMinute;
    this.#at = now();
  }

  take(): number {
    if (this.#perMinute === 0) return MINUTE_MS;
    const now = this.#now();
    const gained = ((now - this.#at) * this.#perMinute) / MINUTE_MS;
    this.#left = Math.min(this.#perMinute, this.#left + gained);
    this.#at = now;
    if (this.#left < 1) return ((1 - this.#left) * MINUTE_MS) / this.#perMinute;
    this.#left -= 1;
    return 0;
  }
}

/** A sliding window, as seed 003 requires: never more than the limit in any minute. It stores every time. */
class Window {
  readonly #perMinute: number;
  readonly #now: () => number;
  #times: number[] = [];

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  take(): number {
    const now = this.#now();
    this.#times = this.#times.filter((time) => now - time < MINUTE_MS);
    if (this.#times.length < this.#perMinute) {
      this.#times.push(now);
      return 0;
    }
    return MINUTE_MS - (now - (this.#times[0] ?? now));
  }
}
