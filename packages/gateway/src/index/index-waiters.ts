import type { LandlineError } from "@landline/protocol";
import type { Follower } from "./follower.ts";

interface Wait {
  readonly targets: readonly { readonly follower: Follower; readonly seq: number }[];
  readonly patient: boolean;
  readonly settle: PromiseWithResolvers<void>;
}

/** Callers that wait until followers have applied the events that existed at the time of the call. */
export class IndexWaiters {
  readonly #waits = new Set<Wait>();

  get isEmpty(): boolean {
    return this.#waits.size === 0;
  }

  /** An ended follower is not awaited. Patient callers also wait while the database fails. */
  until(followers: readonly Follower[], patient: boolean): Promise<void> {
    const targets = followers.map((follower) => ({ follower, seq: follower.log.head }));
    const settle = Promise.withResolvers<void>();
    this.#waits.add({ targets, patient, settle });
    this.settle();
    return settle.promise;
  }

  /** Resolves the callers whose events were applied. */
  settle(): void {
    for (const wait of this.#waits) {
      if (!wait.targets.every(({ follower, seq }) => isReached(follower, seq))) continue;
      this.#waits.delete(wait);
      wait.settle.resolve();
    }
  }

  fail(problem: LandlineError): void {
    for (const wait of this.#waits) {
      if (wait.patient) continue;
      this.#waits.delete(wait);
      wait.settle.reject(problem);
    }
  }
}

function isReached({ state, done }: Follower, seq: number): boolean {
  return state === "ended" || (state === "following" && done >= seq);
}
