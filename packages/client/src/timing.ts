/** Every wait and bound of the client, with what happens at it. */
export const defaultTiming = {
  /** A command that was not answered fails with `timeout`; one that could not be sent, with `connection-lost`. */
  commandMs: 120_000,
  /** As above, for what the gateway answers without asking an agent; then it is tried again. */
  quickCommandMs: 30_000,
  /** A sign-in waits for a person. */
  signInMs: 30 * 60_000,
  /** A request over HTTP fails with `timeout`. */
  requestMs: 30_000,
  /** A connection that has not opened is given up. */
  openMs: 10_000,
  /** The first wait after a break; it doubles with each that follows, up to `retryMsMost`, and is never even. */
  retryMs: 500,
  retryMsMost: 5_000,
  /** Nothing was heard for so long, which is longer than the gateway may be silent: it is asked for a word. */
  quietMs: 20_000,
  /** No word came: the connection is broken. */
  wordMs: 8_000,
  /** While server-sent events are used, WebSocket is tried again. */
  socketAgainMs: 60_000,
  /** How often WebSocket must fail, while HTTP works, before server-sent events are used. */
  socketFailures: 2,
  /** While server-sent events are used, lists are asked for. */
  sessionsPollMs: 5_000,
  agentsPollMs: 15_000,
  /** The same, while somebody signs in. */
  signInPollMs: 1_000,
  mePollMs: 15_000,
  /** While server-sent events are used: how many sessions are streamed. Browsers open six connections. */
  streams: 3,
  /**
   * A stream of which nothing comes for so long, though there is something, is held back by a proxy: its events are
   * asked for instead.
   */
  streamMs: 4_000,
  /** How often the events of further ones are asked for. */
  eventsPollMs: 2_000,
  /** A session that nobody subscribes to any more stays attached for so long. */
  lingerMs: 10_000,
  /** How many sessions that nobody subscribes to are remembered, to be resumed. */
  idleSessions: 16,
  /** A prompt that was acknowledged is shown as outgoing until its event comes, but no longer. */
  eventMs: 1_000,
  /** In a page that draws nothing, what was heard is folded after so long. */
  drawMs: 250,
  /** Further commands fail with `rate-limited` while so many wait for an answer. */
  commandsOpen: 1_000,
  /** Further prompts are refused while so many, or so many characters, wait to be sent: as many as one may have. */
  outboxPrompts: 100,
  outboxLength: 64 * 1_024 * 1_024,
  /** Events in a page of history, and how many are looked through for a good place to cut. */
  pageEvents: 1_000,
  historyEvents: 20_000,
  /** Sessions in a page of the list. */
  pageSessions: 100,
  /** Output of a sign-in that is kept for who subscribes late. */
  terminalLength: 256 * 1_024,
} as const;

export type Timing = { readonly [Name in keyof typeof defaultTiming]: number };
