import { setNewest } from "@landline/system/evict-oldest";
import { LandlineError, type LimitName, type Limits } from "@landline/protocol";
import { SlidingWindow } from "../sliding-window.ts";
import type { Services } from "./services.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * Rate limits of clients across all transports. A refused request gets a retry time; nothing is queued. Counters exist
 * for the most recently active clients.
 */
export class Rates {
  readonly #requests: Counts<TokenBucket>;
  readonly #errors: Counts<TokenBucket>;
  /** As seed 003 requires: never more than the limit in any minute. */
  readonly #prompts: Counts<SlidingWindow>;
  readonly #now: () => number;

  constructor(limits: Limits, now: () => number = () => performance.now()) {
    const most = limits.rateKeysKept;
    const { requestsPerMinute, errorRepliesPerMinute, promptsPerMinute } = limits;
    const bucket = (size: number) => new TokenBucket(size, size, now);
    this.#requests = new Counts(most, () => bucket(requestsPerMinute));
    this.#errors = new Counts(most, () => bucket(errorRepliesPerMinute));
    this.#prompts = new Counts(most, () => new SlidingWindow(promptsPerMinute));
    this.#now = now;
  }

  /** Throws `rate-limited`. */
  takeRequest(client: string): void {
    refuseUnlessFree("requestsPerMinute", this.#requests.of(client).take());
  }

  /** Throws `rate-limited`. */
  takePrompt(sessionId: string): void {
    const prompts = this.#prompts.of(sessionId);
    const now = this.#now();
    refuseUnlessFree("promptsPerMinute", prompts.freeAt(now) - now);
    prompts.take(now);
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
