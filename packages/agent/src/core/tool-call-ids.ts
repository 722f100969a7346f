import { randomUUIDv7 } from "node:crypto";

const longest = 200;

/**
 * The tool call ids of a session and its subagents. Some servers number calls from zero in every answer, or
 * repeat ids; here each id names one call, and is the provider's own where possible.
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
