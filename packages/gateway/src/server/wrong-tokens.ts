import { backoffMs } from "@landline/system/backoff";
import { setNewest } from "@landline/system/evict-oldest";
import { isIPv6 } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { LandlineError } from "@landline/protocol";
import type { Services } from "./services.ts";

interface Tries {
  count: number;
  lastAt: number;
  blockedUntil: number;
}

/**
 * Counts wrong tokens per remote address. The first `wrongTokensFree` are refused at once, further ones after a growing
 * delay, and from `wrongTokensBlocked` the address is blocked. A valid token is never delayed, because all clients
 * behind a proxy share an address.
 */
export class WrongTokens {
  readonly #services: Pick<Services, "limits" | "logger" | "metrics">;
  readonly #now: () => number;
  readonly #tries = new Map<string, Tries>();

  constructor(
    services: Pick<Services, "limits" | "logger" | "metrics">,
    now: () => number = () => performance.now(),
  ) {
    this.#services = services;
    this.#now = now;
  }

  /** Counts a wrong token, waits if required, and throws the error. */
  async refuse(remoteAddress: string | undefined): Promise<never> {
    const { metrics } = this.#services;
    const address = networkOf(remoteAddress);
    const tries = this.#count(address);
    const blockedMs = tries.blockedUntil - this.#now();
    if (blockedMs > 0) {
      metrics.wrongTokens.add("blocked");
      throw blocked(blockedMs);
    }
    const delayMs = this.#delayOf(tries.count);
    metrics.wrongTokens.add(delayMs > 0 ? "slowed" : "refused");
    if (delayMs > 0) await wait(delayMs, undefined, { ref: false });
    throw new LandlineError("unauthorized");
  }

  #count(address: string): Tries {
    const { wrongTokensForgetMs, wrongTokensBlocked, wrongTokensFree, wrongTokensBlockMs } =
      this.#services.limits;
    const now = this.#now();
    const known = this.#tries.get(address);
    const isFresh = known !== undefined && now - known.lastAt < wrongTokensForgetMs;
    const tries = isFresh ? known : { count: 0, lastAt: now, blockedUntil: 0 };
    this.#keep(address, tries);
    tries.lastAt = now;
    if (tries.blockedUntil > now) return tries;
    tries.count += 1;
    if (tries.count < wrongTokensBlocked) return tries;
    tries.blockedUntil = now + wrongTokensBlockMs;
    this.#services.logger.warn("An address is blocked after too many wrong tokens.", {
      address,
      tries: tries.count,
      blockedMs: wrongTokensBlockMs,
    });
    // After the block, each wrong token is delayed again.
    tries.count = wrongTokensFree;
    return tries;
  }

  /** Forgets the least recently active address first. */
  #keep(address: string, tries: Tries): void {
    setNewest(this.#tries, [address, tries], this.#services.limits.rateKeysKept);
  }

  #delayOf(count: number): number {
    const { wrongTokensFree, wrongTokenDelayMs, wrongTokenDelayMsMax } = this.#services.limits;
    const over = count - wrongTokensFree;
    return over <= 0 ? 0 : backoffMs(wrongTokenDelayMs, wrongTokenDelayMsMax, over - 1);
  }
}

/** An IPv6 network counts as one address, because a client can use all addresses of it. */
function networkOf(address = "unknown"): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address) || address === "::1") return address;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}

function blocked(forMs: number): LandlineError {
  return new LandlineError("rate-limited", {
    message: "Too many wrong tokens came from this address.",
    help: "Wait, or use a valid token, which is accepted even now. `landline token url` prints a link.",
    retryAfterMs: Math.ceil(forMs),
    data: { limit: "wrongTokensBlocked" },
  });
}
