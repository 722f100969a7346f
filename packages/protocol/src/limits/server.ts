import type { LimitRow } from "./row.ts";

const KiB = 1_024;
const MiB = 1_024 * KiB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Limits of HTTP clients. */
export const serverRows = {
  requestsPerMinute: same("per minute", 6_000, refusedWith("rate-limited and retryAfterMs")),
  rateKeysKept: same("count", 10_000, "The counter of the client that was idle longest is reset."),
  bodyBytes: same("bytes", 64 * MiB, refusedWith("message-too-large")),
  bodyDepth: same("count", 200, refusedWith("invalid-params")),
  headerBytes: same("bytes", 32 * KiB, "Refused with status 431, and the connection is closed."),
  headersMs: same(
    "milliseconds",
    20 * SECOND,
    "Refused with status 408; the connection is closed.",
  ),
  requestMs: same(
    "milliseconds",
    300 * SECOND,
    "Refused with status 408; the connection is closed.",
  ),
  keepAliveMs: same("milliseconds", 65 * SECOND, "A connection without a request is closed."),
  connectionsOpen: same("count", 4_096, "Further connections are closed at once."),
  streamsPerToken: same("count", 256, refusedWith("rate-limited and retryAfterMs")),
  viewsPerToken: same("count", 16, refusedWith("rate-limited and retryAfterMs")),
  exportsPerToken: same("count", 4, refusedWith("rate-limited and retryAfterMs")),
  heartbeatMs: same("milliseconds", 15 * SECOND, "A ping that a program can see is sent."),
  streamRetryMs: same("milliseconds", 1 * SECOND, "A client that was cut off connects again."),
  eventWaitMs: same(
    "milliseconds",
    60 * SECOND,
    "A request that waits longer is answered without events.",
  ),
  serverCloseMs: same("milliseconds", 2 * SECOND, "Connections that have not ended are cut."),
  challengeMs: same("milliseconds", 1 * MINUTE, "A challenge that was not signed expires."),
  accessTokenMs: same(
    "milliseconds",
    15 * MINUTE,
    "The page signs another challenge with its key; open streams and sockets stay.",
  ),
  accessTokensKept: same(
    "count",
    10_000,
    "The oldest is invalidated, and its page authenticates again.",
  ),
  keysPerToken: same("count", 50, "The oldest key of the token is removed."),
  ticketMs: same("milliseconds", 1 * MINUTE, "A download that was not begun is refused."),
  ticketsOpen: same("count", 1_000, "The oldest ticket is invalidated."),
  wrongTokensFree: same(
    "count",
    5,
    "Further wrong tokens from that address are answered after a growing wait.",
  ),
  wrongTokenDelayMs: same(
    "milliseconds",
    250,
    "The first wait; each further one is twice as long.",
  ),
  wrongTokenDelayMsMax: same("milliseconds", 4 * SECOND, "The wait grows no further."),
  wrongTokensBlocked: same(
    "count",
    20,
    "The address is blocked: wrong tokens are refused with rate-limited, valid ones are accepted.",
  ),
  wrongTokensBlockMs: same("milliseconds", 15 * MINUTE, "The address is no longer blocked."),
  wrongTokensForgetMs: same(
    "milliseconds",
    60 * MINUTE,
    "The count of wrong tokens of an address is reset after this time without another.",
  ),
  strangerIdleMs: same(
    "milliseconds",
    30 * SECOND,
    "An unauthenticated connection is dropped when nothing is sent to it for this long.",
  ),
  tokensKept: same("count", 1_000, "No further token is created until one is revoked."),
  startLinksKept: same(
    "count",
    10,
    "Links of earlier starts are removed, the oldest first; browsers that used one stay authenticated.",
  ),
  accessLogBytes: same(
    "bytes",
    1 * MiB,
    "The audit file of tokens and deleted sessions is moved aside and replaces the one moved before.",
  ),
  tokensCheckMs: same(
    "milliseconds",
    1 * SECOND,
    "The token file is checked again for changes by other processes.",
  ),
  certificateCheckMs: same(
    "milliseconds",
    5 * SECOND,
    "The files of the certificate are checked again for changes.",
  ),
  tokensLockMs: same(
    "milliseconds",
    5 * SECOND,
    "A change of the tokens fails with folder-locked.",
  ),
  filesScanned: same("count", 50_000, "The rest of the folder is not read; the response says so."),
  filesListed: same("count", 200, "Further names are omitted; the response says so."),
  filesScanMs: same(
    "milliseconds",
    2 * SECOND,
    "The rest of the folder is not read; the response says so.",
  ),
  pageFilesBytes: same(
    "bytes",
    16 * MiB,
    "Further files of the page are read from the disk each time.",
  ),
  foldersListed: same(
    "count",
    1_000,
    "Further folders are omitted, hidden ones first; the response says so.",
  ),
  tracePageLines: same("count", 500, "Older lines of the trace are on another page."),
  tracePageBytes: same(
    "bytes",
    4 * MiB,
    "Older lines of the trace are on another page; one line is always there.",
  ),
  searchHits: same("count", 100, "Older hits are omitted."),
} as const satisfies Record<string, LimitRow>;

function same<Unit extends LimitRow["unit"]>(unit: Unit, bound: number, consequence: string) {
  return { unit, default: bound, spec: bound, consequence } as const;
}

function refusedWith(code: string): string {
  return `Refused with ${code}.`;
}
