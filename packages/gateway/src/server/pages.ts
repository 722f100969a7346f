import type { Limits } from "@landline/protocol";
import type { VisibleLog } from "../log/log.ts";
import { byteLinesOf } from "../log/log-lines.ts";
import { waitFor } from "./wait.ts";

/** A page of events as JSON, assembled from the lines of the log without parsing. */
export interface EventPage {
  readonly lines: readonly Buffer[];
  readonly head: number;
}

export function pageBytes({ lines, head }: EventPage): Buffer {
  const parts: Buffer[] = [opening];
  for (const line of lines) {
    if (parts.length > 1) parts.push(comma);
    parts.push(line);
  }
  return Buffer.concat([...parts, Buffer.from(`],"head":${head}}`)]);
}

const opening = Buffer.from('{"events":[');
const comma = Buffer.from(",");

/** The events after a sequence number, oldest first: at most `limit` events and one page of bytes. */
export async function pageAfter(
  log: VisibleLog,
  after: number,
  limit: number,
  limits: Limits,
): Promise<EventPage> {
  const lines: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of log.read(after)) {
    for (const line of byteLinesOf(chunk)) {
      const isFull = lines.length >= limit || (bytes > 0 && bytes + line.length > limits.pageBytes);
      if (isFull) return { lines, head: log.visible };
      lines.push(line);
      bytes += line.length;
    }
  }
  return { lines, head: log.visible };
}

/** The last events before a sequence number, oldest first. */
export async function pageBefore(
  log: VisibleLog,
  before: number,
  limit: number,
): Promise<EventPage> {
  const chunk = await log.page(before, limit);
  return { lines: chunk ? [...byteLinesOf(chunk)] : [], head: log.visible };
}

/** Resolves when an event after the number exists, at the timeout, or when the signal aborts. */
export function waitForEvent(
  log: VisibleLog,
  after: number,
  waitMs: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  return waitFor(
    (wake, fail) =>
      log.tail(after, {
        write: () => {
          wake();
          return false;
        },
        end: (error) => (error ? fail(error) : wake()),
      }),
    waitMs,
    signals,
  );
}
