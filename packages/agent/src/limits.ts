/** Bounds that several files, tests or the manual use, with what happens at each. Others stand beside their only use. */

export const loopLimits = {
  /** Steps of one turn. After them the model gets one more without tools, to say where it stands. */
  stepsPerTurn: 200,
  /** Identical calls in a row. The next one asks the person. */
  repeatedCalls: 3,
  /** Calls of one answer that run at the same time. The others wait. */
  callsAtOnce: 16,
  /** Tries of one step while its provider fails in a way that may pass. Then the turn fails. */
  triesPerStep: 5,
  /** The longest wait that a provider may ask for. Above it the turn fails and says so. */
  retryAfterMsMax: 600_000,
  /** A title. Longer ones are cut. */
  titleCharacters: 60,
  /** Prompts that wait behind the one that runs. Further ones are refused. */
  queuedPrompts: 100,
} as const;

export const fileLimits = {
  /** A file that is read as text. Larger ones are refused (`file-too-large`). */
  textBytes: 10 * 1_024 * 1_024,
  /** How much of a file is looked at to tell text from other bytes. */
  sniffedBytes: 8_192,
} as const;

export const commandLimits = {
  /** Output that is kept of a command: its end. What came before is dropped, and the result says so. */
  outputBytes: 1_024 * 1_024,
  /** Between SIGTERM and SIGKILL. */
  termMs: 2_000,
  /** How long killed processes are waited for. Then they are given up. */
  killMs: 2_000,
} as const;

export const searchLimits = {
  /** Results of one search, unless told. There is a note when there are more. */
  results: 100,
  /** A line that matched. Longer ones are cut. */
  lineCharacters: 2_000,
} as const;

export const snapshotLimits = {
  /** One look at the worktree before or after a command. Then the command's changes can't be undone. */
  trackMs: 10_000,
  /** A file. Larger ones are left out. */
  fileBytes: 2 * 1_024 * 1_024,
} as const;

export const modelLimits = {
  /** One look for a server on this machine. A slower one is found at the next look. */
  probeMs: 300,
} as const;

export const configLimits = {
  /** A file of configuration, a command or an agent. Larger ones are left out and named. */
  fileBytes: 1_024 * 1_024,
} as const;

export const rulesLimits = {
  /** One rules file. The rest of it is cut, with a note. */
  fileBytes: 64 * 1_024,
  /** Rules files. Those that come after are left out and named. */
  files: 64,
} as const;

export const customToolLimits = {
  /** How long a tool may take to say what it is. Then it is left out and named. */
  describeMs: 10_000,
  /** One call. Then it is ended with all that it started (`tool-timeout`). */
  callMs: 300_000,
  /** What one call may answer. More is an error of the call. */
  resultBytes: 4 * 1_024 * 1_024,
  /** How long an ended tool is waited for after SIGTERM. Then it is killed. */
  endMs: 500,
} as const;

export const promptLimits = {
  /** A picture, sound or document in a prompt. Larger ones are left out, and the model is told. */
  attachmentBytes: 5 * 1_024 * 1_024,
  /** A file that a prompt links to. Larger ones are named, and the model reads the parts it needs. */
  linkedFileBytes: 256 * 1024,
} as const;

export const mcpLimits = {
  /** How long a prompt waits for servers that are still connecting. Then it goes on without them. */
  readyMs: 5_000,
  /** Connecting to one server, its lists included, unless its configuration says otherwise. Then it has failed. */
  connectMs: 30_000,
  /** A call without an answer or progress, questions to the person not counted. Then it fails (`tool-timeout`). */
  callMs: 300_000,
  /** Each rung of ending a server's processes: end of input, SIGTERM, SIGKILL. */
  endMs: 250,
  /** A tool's description, or a server's instructions. The rest is cut. */
  descriptionCharacters: 8_192,
} as const;

export const toolLimits = {
  /** Lines of an output that a model reads at once. The rest is kept in a file. */
  outputLines: 2_000,
  /** Bytes of the same. */
  outputBytes: 50 * 1_024,
  /** A line of a file that is read. The rest of it is left out, with a note. */
  lineCharacters: 2_000,
  /** A picture or document that is read. Larger ones are refused (`file-too-large`). */
  attachmentBytes: 5 * 1_024 * 1_024,
  /** Lines of a tree. Folders that do not fit are counted and not opened. */
  listedLines: 300,
  /** A file in which small slips of an edit are forgiven. In larger ones the text must be exact. */
  forgivenCharacters: 2_000_000,
  /** Both texts of a diff. Of longer ones the changed parts are shown, and of those this much. */
  diffCharacters: 1_000_000,
  /** A diff in words for the model. The rest is left out, with a note. */
  describedCharacters: 4_000,
} as const;

export const connectionLimits = {
  /** One message of a client. A longer one is refused (`message-too-large`), and the connection goes on. */
  messageBytes: 128 * 1_024 * 1_024,
  /** Ending everything when a connection or the process ends. Then what is left is given up. */
  closeMs: 5_000,
  /** The first line of a TCP connection, in which its token is. A longer one ends it. */
  firstLineBytes: 64 * 1_024,
  /** TCP connections at once, with those that have not given their token. Further ones are ended. */
  connections: 64,
  /** A token past loopback. A shorter one can be guessed, and is refused. */
  tokenCharactersMin: 16,
} as const;

export const bashLimits = {
  /** How long a command of the model may run, unless it says otherwise. Then it is ended (`tool-timeout`). */
  timeoutMs: 120_000,
  /** Between two looks at a running command's output. What comes in between is shown together. */
  progressMs: 100,
  /** Output that is shown of a running command: its end. */
  shownCharacters: 10_000,
} as const;

export const fetchLimits = {
  /** A page, unpacked. A larger one is refused (`file-too-large`). */
  bodyBytes: 5 * 1_024 * 1_024,
  /** Redirects of one page. After them it fails. */
  redirects: 10,
  /** Turning a page into text. Then it fails, and says to ask for the page as it is. */
  convertMs: 15_000,
} as const;
