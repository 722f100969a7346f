/**
 * Limits that several files, tests or the manual use, each with its effect. Other limits are constants beside
 * their use.
 */

export const loopLimits = {
  /** Steps of one turn. Then the model gets one more without tools, to report its progress. */
  stepsPerTurn: 200,
  /** Identical calls in a row. The next one asks the person. */
  repeatedCalls: 3,
  /** Calls of one answer that run at the same time. The others wait. */
  callsAtOnce: 16,
  /** Attempts of one step after transient failures. Then the turn fails. */
  triesPerStep: 5,
  /** Maximum wait that a provider may ask for. Above it the turn fails and says so. */
  retryAfterMsMax: 600_000,
  /** Characters of a title. Longer ones are cut. */
  titleCharacters: 60,
  /** Waiting prompts. Further ones are refused. */
  queuedPrompts: 100,
} as const;

export const fileLimits = {
  /** Size of a file that is read as text. Larger ones are refused (`file-too-large`). */
  textBytes: 10 * 1_024 * 1_024,
  /** Bytes that are checked to detect binary files. */
  sniffedBytes: 8_192,
} as const;

export const commandLimits = {
  /** Output that is kept of a command: its end. The result says when the start was dropped. */
  outputBytes: 1_024 * 1_024,
  /** Between SIGTERM and SIGKILL. */
  termMs: 2_000,
  /** How long to wait for killed processes to end. */
  killMs: 2_000,
} as const;

export const searchLimits = {
  /** Default number of results of a search. A note says when there are more. */
  results: 100,
  /** Characters of a matching line. Longer ones are cut. */
  lineCharacters: 2_000,
} as const;

export const snapshotLimits = {
  /** Time for one snapshot of the worktree. After it, a command's changes cannot be undone. */
  trackMs: 10_000,
  /** Size of a file in a snapshot. Larger ones are omitted. */
  fileBytes: 2 * 1_024 * 1_024,
} as const;

export const modelLimits = {
  /** Time to detect a local model server. A slower one is found at the next search. */
  probeMs: 300,
} as const;

export const configLimits = {
  /** Size of a configuration, command or agent file. Larger ones are dropped with a problem. */
  fileBytes: 1_024 * 1_024,
} as const;

export const rulesLimits = {
  /** Size of a rules file. The rest is cut, with a note. */
  fileBytes: 64 * 1_024,
  /** Number of rules files. Further ones are dropped with a problem. */
  files: 64,
} as const;

export const customToolLimits = {
  /** Time for a tool to describe itself. Then it is dropped with a problem. */
  describeMs: 10_000,
  /** Time of one call. Then its processes are ended (`tool-timeout`). */
  callMs: 300_000,
  /** Size of the result of one call. More is an error. */
  resultBytes: 4 * 1_024 * 1_024,
  /** Between SIGTERM and SIGKILL. */
  endMs: 500,
} as const;

export const promptLimits = {
  /** Size of an image, audio or document in a prompt. Larger ones are omitted, with a note for the model. */
  attachmentBytes: 5 * 1_024 * 1_024,
  /** Size of a linked file. Of a larger one the model gets the name and reads the parts it needs. */
  linkedFileBytes: 256 * 1024,
} as const;

export const mcpLimits = {
  /** How long a prompt waits for servers that are still connecting. Then it starts without them. */
  readyMs: 5_000,
  /**
   * Time to connect to a server and read its lists, unless its configuration says otherwise. Then it has
   * failed.
   */
  connectMs: 30_000,
  /**
   * Time without a result or progress of a call, not counting elicitation. Then it fails (`tool-timeout`).
   */
  callMs: 300_000,
  /** Wait after each step of ending a server: end of input, SIGTERM, SIGKILL. */
  endMs: 250,
  /** Characters of a tool's description or a server's instructions. The rest is cut. */
  descriptionCharacters: 8_192,
} as const;

export const toolLimits = {
  /** Lines of an output that the model reads at once. The rest is stored in a file. */
  outputLines: 2_000,
  /** Bytes of such an output. */
  outputBytes: 50 * 1_024,
  /** Characters of a line of a file that is read. The rest is omitted, with a note. */
  lineCharacters: 2_000,
  /** Size of an image or document that is read. Larger ones are refused (`file-too-large`). */
  attachmentBytes: 5 * 1_024 * 1_024,
  /** Lines of a tree. Folders that do not fit are shown with their number of files. */
  listedLines: 300,
  /** Size of a file in which edits are matched inexactly. In larger ones the text must match exactly. */
  forgivenCharacters: 2_000_000,
  /** Characters of both texts of a diff. Of longer ones only changed parts are shown, up to this limit. */
  diffCharacters: 1_000_000,
  /** Characters of a diff for the model. The rest is omitted, with a note. */
  describedCharacters: 4_000,
} as const;

export const connectionLimits = {
  /**
   * Size of a message of a client. A larger one is refused (`message-too-large`); the connection stays open.
   */
  messageBytes: 128 * 1_024 * 1_024,
  /** Time to end everything when a connection or the process ends. */
  closeMs: 5_000,
  /** Concurrent connections on the network, including unauthenticated ones. Further ones are closed. */
  connections: 64,
  /** Minimum length of a token on an address other than loopback. */
  tokenCharactersMin: 16,
} as const;

export const bashLimits = {
  /** Default timeout of a command. Then it is ended (`tool-timeout`). */
  timeoutMs: 120_000,
  /** Minimum interval between updates of a running command's output. */
  progressMs: 100,
  /** Characters of a running command's output that are shown: its end. */
  shownCharacters: 10_000,
} as const;

export const fetchLimits = {
  /** Size of a page, decompressed. A larger one is refused (`file-too-large`). */
  bodyBytes: 5 * 1_024 * 1_024,
  /** Redirects of one page. More fail. */
  redirects: 10,
  /** Time to convert a page to text. Then it fails and suggests format `html`. */
  convertMs: 15_000,
} as const;
