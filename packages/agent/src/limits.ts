/** Every bound of the agent, with what happens at it. */

export const loopLimits = {
  /** Steps of one turn. After them the model gets one more without tools, to say where it stands. */
  stepsPerTurn: 200,
  /** Identical calls in a row. The next one asks the person. */
  repeatedCalls: 3,
  /** Calls of one answer that run at the same time. The others wait. */
  callsAtOnce: 16,
  /** Titles of a helper's calls that its task shows. Older ones are counted. */
  helperTitles: 20,
  /** Tries of one step while its provider fails in a way that may pass. Then the turn fails. */
  triesPerStep: 5,
  /** The first wait between tries; it doubles. */
  retryDelayMs: 2_000,
  /** The longest wait of our own making between tries. */
  retryDelayMsMax: 30_000,
  /** The longest wait that a provider may ask for. Above it the turn fails and says so. */
  retryAfterMsMax: 600_000,
  /** How long tools may take to stop when a turn is cancelled. Then they count as interrupted. */
  stopToolsMs: 2_000,
  /** Output of finished calls that stays in what the model reads. Older output is left out. */
  outputTokensKept: 40_000,
  /** Output is left out only when this much is saved. */
  prunedTokensMin: 20_000,
  /** Room left for the answer. A fuller context is summarised first. */
  answerTokensReserved: 20_000,
  /** The part of the context that a summary leaves as it was, at most. */
  keptTokensMax: 15_000,
  /** An output of a tool inside what is summarised. Longer ones are cut. */
  summarisedOutputCharacters: 2_000,
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
  /** Files of which we remember that the client's text differs from the disk. The oldest is forgotten. */
  unsavedFiles: 100,
} as const;

export const commandLimits = {
  /** Output that is kept of a command: its end. What came before is dropped, and the result says so. */
  outputBytes: 1_024 * 1_024,
  /** Between SIGTERM and SIGKILL. */
  termMs: 2_000,
  /** How long killed processes are waited for. Then they are given up. */
  killMs: 2_000,
  /** How long output may keep coming after a command's end. Then what it left in the background keeps running without it. */
  drainMs: 200,
  /** The first wait between two looks at a client's terminal; it doubles while nothing comes. */
  pollMs: 100,
  /** The longest wait between two looks at a client's terminal. */
  pollMsMax: 2_000,
  /** How long a client may take to answer that a terminal was killed, or for its last output. Then we go on without. */
  clientMs: 5_000,
} as const;

export const searchLimits = {
  /** Results of one search, unless told. There is a note when there are more. */
  results: 100,
  /** One search. Then it fails, and says to narrow it. */
  searchMs: 30_000,
  /** A line that matched. Longer ones are cut. */
  lineCharacters: 2_000,
  /** Alternatives of `{a,b}` in a glob. More are refused. */
  globAlternatives: 256,
  /** Files that the search without ripgrep looks at. Then the result is marked as cut. */
  plainFiles: 50_000,
  /** A file that the search without ripgrep reads. Larger ones are left out. */
  plainFileBytes: 2 * 1_024 * 1_024,
  /** One file in the search without ripgrep. Then the expression is refused. */
  plainFileMs: 1_000,
} as const;

export const sessionLimits = {
  /** Sessions on one page of the list, unless told. */
  listed: 50,
  /** Sessions on one page of the list, at most. */
  listedMax: 500,
  /** A session's file when it is opened. Larger ones are refused (`broken`). */
  fileBytes: 512 * 1_024 * 1_024,
} as const;

export const snapshotLimits = {
  /** One look at the worktree before or after a command. Then the command's changes can't be undone. */
  trackMs: 10_000,
  /** A file. Larger ones are left out. */
  fileBytes: 2 * 1_024 * 1_024,
  /** Files that are new or changed at one look. More, and nothing is looked at any more. */
  files: 20_000,
  /** Files that one command changed and that are kept for undo. The rest is named and left out. */
  changedFiles: 500,
  /** Text that one command changed and that is kept for undo. The rest is named and left out. */
  changedBytes: 8 * 1_024 * 1_024,
  /** A shadow repository. A larger one is thrown away and begun anew. */
  storedKibibytes: 512 * 1_024,
} as const;

export const modelLimits = {
  /** One look for a server on this machine. A slower one is found at the next look. */
  probeMs: 300,
  /** Asking a server that was found about its models. Then they are listed with what is known of any model. */
  detailsMs: 3_000,
  /** Models of one server on this machine. The rest is not listed. */
  localModels: 100,
  /** An answer of a server on this machine to a question about itself. A longer one counts as none. */
  probeBytes: 4 * 1_024 * 1_024,
  /** Below it an agent's instructions hardly fit: there is a notice. */
  smallContextTokens: 16_000,
  /** A provider's own words in a problem. Longer ones are cut. */
  problemCharacters: 600,
  /** One answer, thoughts included. It ends there as too long; providers want credit for all that is asked for. */
  answerTokens: 64_000,
  /** The file of stored keys. A larger one counts as broken, and is left alone. */
  credentialsBytes: 256 * 1_024,
  /** How often it is looked whether it has changed: somebody may have signed in elsewhere. */
  credentialsLookMs: 1_000,
  /** A script that is replayed. A larger one is refused. */
  scriptBytes: 16 * 1_024 * 1_024,
  /** A request to the demo model. A longer one is not understood. */
  demoRequestCharacters: 20_000,
  /** Output of a tool that the demo model repeats. Longer ones are cut. */
  demoQuoteCharacters: 1_200,
} as const;

export const configLimits = {
  /** A file of configuration, a command or an agent. Larger ones are left out and named. */
  fileBytes: 1_024 * 1_024,
  /** A file behind `{file:…}`. Larger ones are left out and named. */
  referencedBytes: 256 * 1_024,
  /** Entries of one key of a file. The rest is left out and named. */
  entriesPerKey: 500,
  /** Problems that are told of one entry. The rest is not told. */
  problemsPerEntry: 5,
  /** Commands or agents in one folder, with the folders below. The rest is left out and named. */
  markdownFiles: 500,
  /** How deep folders of commands are looked into. Deeper ones are not found. */
  markdownDepth: 4,
  /** Shell lines of one command. More are refused. */
  shellLines: 16,
  /** Files that one command brings along. More are refused. */
  commandFiles: 32,
  /** What one shell line or file adds to a command. The rest is cut, with a note. */
  insertedCharacters: 50_000,
} as const;

export const rulesLimits = {
  /** One rules file. The rest of it is cut, with a note. */
  fileBytes: 64 * 1_024,
  /** All rules files together. Those that come after are left out and named. */
  totalBytes: 256 * 1_024,
  /** Rules files. Those that come after are left out and named. */
  files: 64,
  /** Looking for the files of one glob. What was found by then counts, and the glob is named. */
  globMs: 2_000,
} as const;

export const customToolLimits = {
  /** Tools of a folder. The rest is left out and named. */
  tools: 100,
  /** How long a tool may take to say what it is. Then it is left out and named. */
  describeMs: 10_000,
  /** One call. Then it is ended with all that it started (`tool-timeout`). */
  callMs: 300_000,
  /** What one call may answer. More is an error of the call. */
  resultBytes: 4 * 1_024 * 1_024,
  /** What is kept of what it prints: the end. */
  printedCharacters: 16_384,
  /** Tools that are asked at once what they are. The others wait. */
  describedAtOnce: 4,
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
  /** One call in all. Then it fails (`tool-timeout`). */
  callTotalMs: 3_600_000,
  /** Each rung of ending a server's processes: end of input, SIGTERM, SIGKILL. */
  endMs: 250,
  /** One message of a server that is a program. A longer one ends the connection. */
  messageBytes: 32 * 1_024 * 1_024,
  /** What is kept of what a server prints to stderr: the end. */
  printedBytes: 4_096,
  /** Tools of one server. The rest is left out. */
  tools: 512,
  /** Prompts of one server. The rest is left out. */
  prompts: 200,
  /** Resources in one answer of `list_mcp_resources`. The rest is left out, with a note. */
  listedResources: 500,
  /** A tool's description, or a server's instructions. The rest is cut. */
  descriptionCharacters: 8_192,
  /** The schema of a tool's input. A tool with a larger one is left out. */
  schemaCharacters: 65_536,
  /** A picture, sound or document in an answer. A larger one is left out, with a note. */
  attachmentBytes: 5 * 1_024 * 1_024,
  /** A full name of a tool. A longer one is cut and gets a mark of its own. */
  nameCharacters: 64,
} as const;

export const toolLimits = {
  /** Lines of an output that a model reads at once. The rest is kept in a file. */
  outputLines: 2_000,
  /** Bytes of the same. */
  outputBytes: 50 * 1_024,
  /** A line of a file that is read. The rest of it is left out, with a note. */
  lineCharacters: 2_000,
  /** A line that a search shows. The rest of it is left out. */
  matchCharacters: 400,
  /** Rules files that come with a file that is read. The rest is left out, and the model is told where it is. */
  rulesBytes: 20 * 1_024,
  /** A picture or document that is read. Larger ones are refused (`file-too-large`). */
  attachmentBytes: 5 * 1_024 * 1_024,
  /** Names that are suggested for a file that is not there. */
  suggestions: 5,
  /** Files that a tree is made of. It is marked as cut when there are more. */
  listedFiles: 5_000,
  /** Lines of a tree. Folders that do not fit are counted and not opened. */
  listedLines: 300,
  /** A file in which small slips of an edit are forgiven. In larger ones the text must be exact. */
  forgivenCharacters: 2_000_000,
  /** Places that one edit changes. More are refused. */
  replacements: 100_000,
  /** Files that one patch changes. More are refused. */
  patchedFiles: 200,
  /** Both texts of a diff. Of longer ones the changed parts are shown, and of those this much. */
  diffCharacters: 1_000_000,
  /** Finding out which lines changed. Then all between the first and the last change count as changed. */
  diffMs: 200,
  /** A diff in words for the model. The rest is left out, with a note. */
  describedCharacters: 4_000,
  /** One formatter or linter on one file. Then it is ended, and the output says so. */
  programMs: 30_000,
  /** What a formatter or linter says of one file. The rest is left out, with a note. */
  programCharacters: 4_000,
} as const;

export const connectionLimits = {
  /** One message of a client. A longer one is refused (`message-too-large`), and the connection goes on. */
  messageBytes: 128 * 1_024 * 1_024,
  /** How long requests that came before the end of input may take to be answered. Then they are dropped. */
  lastAnswersMs: 300,
  /** Ending everything when a connection or the process ends. Then what is left is given up. */
  closeMs: 5_000,
  /** The first line of a TCP connection, in which its token is. A longer one ends it. */
  firstLineBytes: 64 * 1_024,
  /** How long a TCP connection may take to give its token. Then it is ended. */
  tokenMs: 10_000,
  /** How long a TCP connection that is refused may take to read why. Then it is cut. */
  refusalMs: 1_000,
  /** TCP connections at once, with those that have not given their token. Further ones are ended. */
  connections: 64,
  /** A token past loopback. A shorter one can be guessed, and is refused. */
  tokenCharactersMin: 16,
} as const;

export const programLimits = {
  /** A program that is asked for its version. A slower one counts as not there. */
  versionMs: 5_000,
} as const;

export const bashLimits = {
  /** How long a command of the model may run, unless it says otherwise. Then it is ended (`tool-timeout`). */
  timeoutMs: 120_000,
  /** The longest time that it may say. More is refused. */
  timeoutMsMax: 1_800_000,
  /** Between two looks at a running command's output. What comes in between is shown together. */
  progressMs: 100,
  /** Output that is shown of a running command: its end. */
  shownCharacters: 10_000,
} as const;

export const fetchLimits = {
  /** A page, unpacked. A larger one is refused (`file-too-large`). */
  bodyBytes: 5 * 1_024 * 1_024,
  /** How long one server may take, unless the model says otherwise. Then it fails (`tool-timeout`). */
  timeoutSeconds: 30,
  /** The longest time that it may say. More is refused. */
  timeoutSecondsMax: 120,
  /** Redirects of one page. After them it fails. */
  redirects: 10,
  /** An address. A longer one is refused. */
  urlCharacters: 8_192,
  /** Turning a page into text. Then it fails, and says to ask for the page as it is. */
  convertMs: 15_000,
  /** Memory for that, in MiB. With more it fails in the same way. */
  convertMebibytes: 512,
  /** What is told of a page that comes with an error. The rest is cut. */
  errorCharacters: 1_000,
} as const;
