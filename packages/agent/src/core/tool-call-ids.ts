import { randomUUIDv7 } from "node:crypto";

const longest = 200;

/**
 * The ids of a session's calls and its helpers'. Some servers count their calls from nought in every
 * answer, or give several the same id: here each names one call, and is the provider's own where it can be.
 */
export class CallIds {
  readonly #taken = new Set<string>();

  take(callIds: Iterable<string>): void {
    for (const callId of callIds) this.#taken.add(callId);
  }

  claim(given: string): string {
    const isFree = given !== "" && given.length <= longest && !this.#taken.has(given);
    const callId = isFree ? given : randomUUIDv7();
    this.#taken.add(callId);
    return callId;
  }
}
