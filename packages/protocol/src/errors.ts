/**
 * Everything that can go wrong, as one closed list. `LandlineError.code` is what the gateway answers;
 * `rpc` is what an ACP peer sees (rpc-error.ts); `seed` is the number of seed 003's table, carried in
 * `data.code`.
 * -32000 means "authentication required" on ACP and is used for nothing else.
 */
export interface ErrorRow {
  readonly rpc: number;
  readonly http: number;
  readonly seed?: number;
  readonly message: string;
  /** What to do about it, as text for a person. */
  readonly help: string;
  /** The same request may succeed later: when the connection is better, or the disk. */
  readonly transient?: "connection" | "disk";
}

const errorRows = {
  // JSON-RPC itself.
  "parse-error": {
    rpc: -32700,
    http: 400,
    message: "The message is not valid JSON.",
    help: "Send one JSON object per message, encoded as UTF-8.",
  },
  "invalid-request": {
    rpc: -32600,
    http: 400,
    message: "The message is not a valid JSON-RPC 2.0 request.",
    help: 'Send jsonrpc "2.0", a method, and an id for requests; batches are not part of ACP.',
  },
  "method-not-found": {
    rpc: -32601,
    http: 404,
    message: "There is no such method.",
    help: "Check the spelling and the capabilities that were agreed on in initialize.",
  },
  "invalid-params": {
    rpc: -32602,
    http: 422,
    message: "The parameters are not valid.",
    help: "Compare them with the schema; the message names the field.",
  },
  "internal-error": {
    rpc: -32603,
    http: 500,
    message: "Something went wrong inside Landline.",
    help: "Look at Landline's own log, and report it if it happens again.",
  },
  "request-cancelled": {
    rpc: -32800,
    http: 499,
    message: "The request was cancelled.",
    help: "Send it again if it is still wanted.",
  },
  "auth-required": {
    rpc: -32000,
    http: 401,
    message: "The agent wants you to sign in first.",
    help: "Choose one of the agent's sign-in methods, then try again.",
  },

  // Sessions, prompts and asks.
  "session-not-found": {
    rpc: -32002,
    http: 404,
    seed: -31900,
    message: "There is no such session.",
    help: "List the sessions and use one of their ids.",
  },
  "session-expired": {
    rpc: -32002,
    http: 410,
    seed: -31901,
    message: "The session was deleted, or removed by retention.",
    help: "Open a new session.",
  },
  "session-locked": {
    rpc: -32602,
    http: 409,
    seed: -31902,
    message: "Another operation holds the session.",
    help: "Wait for it to end, or cancel it.",
  },
  "session-closed": {
    rpc: -32602,
    http: 409,
    message: "The session is closed.",
    help: "Load it again to continue.",
  },
  "prompt-not-found": {
    rpc: -32602,
    http: 404,
    message: "No such prompt is waiting.",
    help: "It was already sent or withdrawn.",
  },
  "turn-interrupted": {
    rpc: -32603,
    http: 502,
    message: "The gateway was stopped during the turn.",
    help: "Send the prompt again if it is still wanted; what was done before is kept.",
  },
  "ask-not-found": {
    rpc: -32602,
    http: 404,
    message: "There is no such request.",
    help: "Attach again to see the open ones.",
  },
  "ask-already-settled": {
    rpc: -32602,
    http: 409,
    message: "This was already answered.",
    help: "The session shows the answer and who gave it.",
  },
  "option-not-offered": {
    rpc: -32602,
    http: 422,
    message: "That option was not offered.",
    help: "Choose one of the option ids of the request.",
  },
  "choice-ended": {
    rpc: -32602,
    http: 409,
    message: "An option was reset when the agent restarted.",
    help: "Choose it again if you still want it.",
  },
  "choice-kept": {
    rpc: -32602,
    http: 409,
    message: "The agent restarted in a mode that may not ask.",
    help: "Choose another value before you send the next message.",
  },
  "cursor-ahead": {
    rpc: -32602,
    http: 409,
    message: "The cursor is beyond the end of the log.",
    help: "Attach again from the start; the log was restored from an older copy.",
  },

  // Agents.
  "agent-not-found": {
    rpc: -32602,
    http: 404,
    message: "There is no such agent.",
    help: "List the agents, or add it to the config.",
  },
  "agent-start-failed": {
    rpc: -32603,
    http: 502,
    message: "The agent could not be started.",
    help: "Run its command in a terminal in the same folder to see its output.",
  },
  "agent-busy": {
    rpc: -32602,
    http: 409,
    message: "The agent is busy.",
    help: "Wait until it is done or cancel it, then try again.",
  },
  "agent-failed": {
    rpc: -32603,
    http: 502,
    message: "The agent returned an error.",
    help: "Read its message, then try again.",
  },
  "agent-exited": {
    rpc: -32603,
    http: 502,
    message: "The agent ended.",
    help: "The next prompt starts it again; the end of its stderr is in the event.",
  },
  "agent-protocol-error": {
    rpc: -32603,
    http: 502,
    message: "The agent's answer is not valid ACP.",
    help: "Report it to its authors: the message says what was wrong.",
  },
  "agent-not-reading": {
    rpc: -32603,
    http: 503,
    message: "The agent does not read what is sent to it.",
    help: "Cancel the turn; the agent is restarted when it does not recover.",
  },
  "connection-lost": {
    rpc: -32603,
    http: 502,
    seed: -32000,
    message: "The connection was lost during the request.",
    help: "It reconnects automatically; send the request again.",
    transient: "connection",
  },
  timeout: {
    rpc: -32603,
    http: 504,
    seed: -32001,
    message: "The request timed out.",
    help: "Try again, or raise the limit in the config.",
    transient: "connection",
  },

  // Files, terminals, tools and MCP servers.
  "file-not-found": {
    rpc: -32002,
    http: 404,
    seed: -31700,
    message: "There is no such file.",
    help: "Check the path.",
  },
  "permission-denied": {
    rpc: -32602,
    http: 403,
    seed: -31701,
    message: "Access to the file is denied.",
    help: "It is outside the session's folders, or the system denied access.",
  },
  "file-too-large": {
    rpc: -32602,
    http: 413,
    seed: -31702,
    message: "The file is too large, or not text.",
    help: "Read a part of it with line and limit.",
  },
  "terminal-not-found": {
    rpc: -32002,
    http: 404,
    message: "There is no such terminal.",
    help: "It was already released.",
  },
  "tool-not-found": {
    rpc: -32602,
    http: 404,
    seed: -31800,
    message: "There is no such tool.",
    help: "Check its name.",
  },
  "tool-disabled": {
    rpc: -32602,
    http: 403,
    seed: -31801,
    message: "The tool is disabled here.",
    help: "A mode, a rule or the policy for this agent withholds it.",
  },
  "tool-timeout": {
    rpc: -32603,
    http: 504,
    seed: -31802,
    message: "The tool timed out.",
    help: "Give it a longer limit, or a smaller task.",
  },
  "mcp-server-error": {
    rpc: -32603,
    http: 502,
    seed: -31600,
    message: "An MCP server failed.",
    help: "Look at the server's own output.",
  },
  "mcp-server-unavailable": {
    rpc: -32603,
    http: 503,
    seed: -31601,
    message: "An MCP server can't be reached.",
    help: "Check its command or address.",
  },

  // Server.
  unauthorized: {
    rpc: -32602,
    http: 401,
    message: "A token is required.",
    help: "Open the URL that `landline serve` printed, or run `landline token url`.",
  },
  forbidden: {
    rpc: -32602,
    http: 403,
    message: "This token, host or origin is not allowed to do that.",
    help: "Use a token with the role control, from an address that the config allows.",
  },
  "rate-limited": {
    rpc: -32602,
    http: 429,
    message: "Too many requests.",
    help: "Wait for retryAfterMs.",
    transient: "connection",
  },
  "message-too-large": {
    rpc: -32602,
    http: 413,
    message: "The message is too large.",
    help: "Send less at once, or raise the limit in the config.",
  },
  "address-unusable": {
    rpc: -32603,
    http: 503,
    message: "The gateway can't listen on that address.",
    help: "Choose another port with --port, or --port 0 for a free one.",
  },

  // The data folder.
  "folder-locked": {
    rpc: -32603,
    http: 503,
    message: "Another Landline is using this data folder.",
    help: "Stop it, or choose another folder with --data.",
    transient: "disk",
  },
  "folder-unusable": {
    rpc: -32603,
    http: 503,
    message: "The data folder can't be used.",
    help: "Check that it exists, belongs to you, and can be written to.",
    transient: "disk",
  },
  "disk-full": {
    rpc: -32603,
    http: 507,
    message: "The disk is full: nothing more can be stored.",
    help: "Free some space; stored data is not lost.",
    transient: "disk",
  },
  "disk-failed": {
    rpc: -32603,
    http: 500,
    message: "The disk refused a write or a read.",
    help: "Check the disk; stored data is unchanged.",
    transient: "disk",
  },
  "log-newer": {
    rpc: -32603,
    http: 500,
    message: "The log was written by a newer Landline.",
    help: "Start the newer version; this one leaves the files as they are.",
  },
  "log-damaged": {
    rpc: -32603,
    http: 500,
    message: "The log is damaged.",
    help: "The message names the file and the place; restore it from a backup, or move the session's folder away. Nothing was changed.",
  },
  "rules-newer": {
    rpc: -32603,
    http: 500,
    message: "The rules file was written by a newer Landline.",
    help: "Start the newer version; this one leaves the file as it is.",
  },
  "database-newer": {
    rpc: -32603,
    http: 500,
    message: "The database was written by a newer Landline.",
    help: "Start the newer version, or rebuild it from the log with `landline doctor --rebuild`.",
  },
  // Starting, and finding what was started.
  "config-invalid": {
    rpc: -32603,
    http: 500,
    message: "The config can't be used.",
    help: "Correct the setting that the message names; `landline config schema` prints the schema.",
  },
  "gateway-not-running": {
    rpc: -32603,
    http: 503,
    message: "No gateway is running.",
    help: "Start one with `landline serve`.",
    transient: "connection",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorRows;

export const errorCodes = Object.keys(errorRows) as readonly ErrorCode[];

export function errorRow(code: ErrorCode): ErrorRow {
  return errorRows[code];
}

/** Whether the same request may succeed later without anybody's doing. */
export function isTransient(code: ErrorCode, kind?: ErrorRow["transient"]): boolean {
  const { transient } = errorRow(code);
  return kind === undefined ? transient !== undefined : transient === kind;
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === "string" && Object.hasOwn(errorRows, value);
}

/** What a gateway answers about a session that it has deleted, and that it does not know. */
export const sessionGoneCodes: readonly ErrorCode[] = ["session-expired", "session-not-found"];

export interface ErrorDetails extends ErrorOptions {
  /** Says more than the row's message: names the file, the field, the limit. Never a stack, never an echo. */
  readonly message?: string;
  readonly help?: string;
  readonly retryAfterMs?: number;
  /** Facts for programs: a path, a session id, who was first. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export class LandlineError extends Error {
  readonly code: ErrorCode;
  readonly help: string;
  readonly retryAfterMs: number | undefined;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(
      details.message ?? errorRows[code].message,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = "LandlineError";
    this.code = code;
    this.help = details.help ?? errorRows[code].help;
    this.retryAfterMs = details.retryAfterMs;
    this.data = details.data ?? {};
  }
}

/** Any thrown value as an error of this list. The details of an unknown one are only its cause. */
export function asLandlineError(error: unknown): LandlineError {
  if (error instanceof LandlineError) return error;
  return new LandlineError("internal-error", { cause: error });
}

/** As it is sent over HTTP and WebSocket. */
export interface ProblemShape {
  readonly code: ErrorCode;
  readonly message: string;
  readonly help: string;
  readonly retryAfterMs?: number;
  readonly [field: string]: unknown;
}

export function toProblem(error: LandlineError): ProblemShape {
  return {
    ...error.data,
    code: error.code,
    message: error.message,
    help: error.help,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
}
