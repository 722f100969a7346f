import { setImmediate } from "node:timers/promises";
import type { LogChunk } from "../../log/log.ts";
import { expect, test } from "vitest";
import type { Session } from "../../sessions/sessions.ts";
import { exportSession } from "./export.ts";

test.each(["json", "markdown", "html"] as const)(
  "%s: a log is read no further when its client has disconnected",
  async (format) => {
    const begun = Promise.withResolvers<void>();
    let isEnded = false;
    const log = {
      async *read(): AsyncGenerator<LogChunk> {
        try {
          for (let seq = 1; ; seq += 1) {
            if (seq === 3) begun.resolve();
            await setImmediate();
            // Nothing visible, so that nothing is written for a long time.
            const event = { seq, at: 1, kind: "options-changed" };
            yield { first: seq, last: seq, bytes: Buffer.from(`${JSON.stringify(event)}\n`) };
          }
        } finally {
          isEnded = true;
        }
      },
    };
    const summary = { sessionId: "s", agent: "a", cwd: "/", title: null, firstPrompt: null };
    const session = { summary: { ...summary, openedAt: 1 }, log } as unknown as Session;
    const client = new AbortController();
    const people = { me: "me", names: { get: () => ({}) } } as never;
    const { body } = exportSession(session, format, people, client.signal);
    const reader = body?.getReader();
    const reading = reader?.read();
    await begun.promise;
    client.abort();
    await expect(reading).rejects.toThrow("aborted");
    expect(isEnded).toBe(true);
  },
);
