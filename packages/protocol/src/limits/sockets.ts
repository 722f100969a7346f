import type { LimitRow } from "./row.ts";

const KiB = 1_024;
const MiB = 1_024 * KiB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Limits of WebSocket clients. */
export const socketRows = {
  attachEvents: both(
    "events",
    5_000,
    "A snapshot is sent if there is one after the cursor, and then the events after it.",
  ),
  sessionsPerSocket: both("count", 256, "A further attach is refused with invalid-request."),
  socketsOpen: both("count", 10_000, "A further socket is refused with rate-limited."),
  socketsPerToken: both(
    "count",
    1_000,
    "A further socket of the same token is refused with rate-limited.",
  ),
  socketMessageBytes: both("bytes", 64 * MiB, "The socket is closed with 1009."),
  watchMessageBytes: both(
    "bytes",
    64 * KiB,
    "A socket whose token has the role watch is closed with 1009.",
  ),
  socketCommandsOpen: both(
    "count",
    64,
    "Reading from that socket pauses until one of its commands is answered.",
  ),
  socketCommandsPerMinute: both(
    "per minute",
    6_000,
    "Reading from that socket is slowed; further commands are refused with rate-limited and retryAfterMs.",
  ),
  socketQuietMs: both(
    "milliseconds",
    15 * SECOND,
    "A ping is sent when nothing else was; the client must respond.",
  ),
  socketPongsMissed: both(
    "count",
    2,
    "The connection is dropped, because the client does not respond.",
  ),
  socketCloseMs: both(
    "milliseconds",
    1 * SECOND,
    "A socket that has not completed its close handshake is dropped.",
  ),
  acpIdleMs: both(
    "milliseconds",
    5 * MINUTE,
    "An ACP connection over HTTP ends if its client has opened no stream and sent nothing for this long; a stream that is not read is cut off.",
  ),
  acpReplayBytes: both(
    "bytes",
    1 * MiB,
    "Older messages of the stream are not sent again; Last-Event-ID before them is refused with status 409.",
  ),
  listDelayMs: both(
    "milliseconds",
    50,
    "Changes of the lists of sessions, agents and people are sent together.",
  ),
} as const satisfies Record<string, LimitRow>;

function both<Unit extends LimitRow["unit"]>(unit: Unit, most: number, consequence: string) {
  return { unit, default: most, spec: most, consequence } as const;
}
