/** Timeouts and limits of the client, and what happens at each. */
export const defaultTiming = {
  /** A command that was not answered fails with `timeout`; one that could not be sent, with `connection-lost`. */
  commandMs: 120_000,
  /** The same for commands that the gateway answers without an agent, which are then tried again. */
  quickCommandMs: 30_000,
  /** A sign-in waits for a person. */
  signInMs: 30 * 60_000,
  /** A request over HTTP fails with `timeout`. */
  requestMs: 30_000,
  /** A connection attempt is abandoned. */
  openMs: 10_000,
  /** The first delay after a disconnect. It doubles on each failure, up to `retryMsMost`, with jitter. */
  retryMs: 500,
  retryMsMost: 5_000,
  /** A probe is sent after this silence, which is longer than the gateway's ping interval. */
  quietMs: 20_000,
  /** Without a reply to the probe, the connection is broken. */
  wordMs: 8_000,
  /** While server-sent events are in use, WebSocket is tried again. */
  socketAgainMs: 60_000,
  /** How often WebSocket must fail, while HTTP works, before server-sent events are used. */
  socketFailures: 2,
  /** While server-sent events are in use, lists are polled. */
  sessionsPollMs: 5_000,
  agentsPollMs: 15_000,
  /** The same, during a sign-in. */
  signInPollMs: 1_000,
  mePollMs: 15_000,
  /** The number of sessions that are streamed while server-sent events are in use. Browsers allow six connections. */
  streams: 3,
  /**
   * A stream that delivers nothing for this long, although events exist, is buffered by a proxy. Long polling is used
   * instead.
   */
  streamMs: 4_000,
  /** The poll interval of further sessions. */
  eventsPollMs: 2_000,
  /** A session without subscribers stays attached for this long. */
  lingerMs: 10_000,
  /** The number of sessions without subscribers that are kept, to resume them. */
  idleSessions: 16,
  /** An acknowledged prompt is shown as outgoing until its event arrives, at most this long. */
  eventMs: 1_000,
  /** In a page that draws no frames, received events are folded after this time. */
  drawMs: 250,
  /** Further commands fail with `rate-limited` while this many are unanswered. */
  commandsOpen: 1_000,
  /** Further prompts are refused while this many, or this many characters, wait to be sent. */
  outboxPrompts: 100,
  outboxLength: 64 * 1_024 * 1_024,
  /** The number of events in a page of history, and the number that is searched for a position between turns. */
  pageEvents: 1_000,
  historyEvents: 20_000,
  /** Sessions in a page of the list. */
  pageSessions: 100,
  /** Output of a sign-in terminal that is kept for late listeners. */
  terminalLength: 256 * 1_024,
} as const;

export type Timing = { readonly [Name in keyof typeof defaultTiming]: number };
