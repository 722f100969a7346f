import type { LandlineError } from "@landline/protocol";
import type { Follower } from "./follower.ts";

interface Wait {
  readonly targets: readonly { readonly follower: Follower; readonly seq: number }[];
  readonly patient: boolean;
  readonly settle: PromiseWithResolvers<void>;
}

/** Those who wait until followers have done what their logs had at the time of the call. */
export class Waiting {
  readonly #waits = new Set<Wait>();

  get isEmpty(): boolean {
    return this.#waits.size === 0;
  }

  /** A follower that has ended is waited for no longer. The patient also wait while the database fails. */
  until(followers: readonly Follower[], patient: boolean): Promise<void> {
    const targets = followers.map((follower) => ({ follower, seq: follower.log.head }));
    const settle = Promise.withResolvers<void>();
    this.#waits.add({ targets, patient, settle });
    this.settle();
    return settle.promise;
  }

  /** Something was done: lets those go who have what they waited for. */
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
