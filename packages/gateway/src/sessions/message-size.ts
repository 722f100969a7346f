import type { ContentBlock } from "@agentclientprotocol/sdk";
import { LandlineError, type EventBody, type Limits } from "@landline/protocol";

const methods = { sessionNewBytes: "session/new", promptBytes: "session/prompt" } as const;

/**
 * Checks the message sizes of seed 003. Returns a note for a larger message, or null. In strict mode it throws
 * instead.
 */
export function checkMessageSize(
  limit: keyof typeof methods,
  params: object,
  { limits, strict }: { readonly limits: Limits; readonly strict: boolean },
): string | null {
  const method = methods[limit];
  const most = limits[limit];
  const line = JSON.stringify({ jsonrpc: "2.0", id: 0, method, params });
  const bytes = Buffer.byteLength(line) + 1;
  if (bytes <= most) return null;
  if (!strict) return `A ${method} of ${bytes} bytes is larger than ${most}; it was passed on.`;
  throw new LandlineError("message-too-large", {
    message: `A ${method} has at most ${most} bytes; this one has ${bytes}.`,
    data: { limit, bytes: most },
  });
}

/** Checks the size of prompts. Strict mode refuses large ones; otherwise the first one per session is noted. */
export class PromptSizes {
  readonly #host: { readonly limits: Limits; readonly strict: boolean };
  readonly #note: (note: EventBody) => void;
  #isNoted = false;

  constructor(
    host: { readonly limits: Limits; readonly strict: boolean },
    note: (note: EventBody) => void,
  ) {
    this.#host = host;
    this.#note = note;
  }

  check(sessionId: string | null, prompt: readonly ContentBlock[]): void {
    const message = checkMessageSize("promptBytes", { sessionId, prompt }, this.#host);
    if (message === null || this.#isNoted) return;
    this.#isNoted = true;
    this.#note({ kind: "error", code: "message-too-large", message });
  }
}
