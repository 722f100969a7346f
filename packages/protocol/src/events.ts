import type {
  AgentCapabilities,
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  Implementation,
  PermissionOption,
  RequestPermissionOutcome,
  SessionConfigOption,
  SessionModeState,
  StopReason,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import {
  acp,
  described,
  integer,
  isTrue,
  list,
  nullable,
  number,
  object,
  oneOf,
  openString,
  optional,
  record,
  string,
  text,
  union,
  type Fields,
  type ObjectOf,
  type TypeOf,
} from "./schema.ts";

/** How the operating system confined a program. */
const confinementSchema = object({
  sandbox: oneOf("bubblewrap", "sandbox-exec"),
  network: described(
    union(oneOf("off", "on"), list(string)),
    "Off, on, or the hosts that it may reach.",
  ),
});
const confinement = described(
  nullable(confinementSchema),
  "Null: not confined by Landline. Absent: not recorded.",
);

/** `withdrawn`: the agent withdrew the ask. `completed`: the agent reports that the request was met elsewhere. */
const gatewayReason = oneOf(
  "turn-cancelled",
  "turn-ended",
  "agent-gone",
  "timeout",
  "policy",
  "withdrawn",
  "completed",
);

const actor = described(
  union(object({ client: string }), object({ rule: string }), object({ gateway: gatewayReason })),
  "The client, the rule, or why the gateway did it.",
);

const modes = nullable(acp<SessionModeState>("The modes of ACP."));
const configOptions = nullable(list(acp<SessionConfigOption>("A config option of ACP.")));

/** The older choice of a model, in no schema now; sixteen of thirty registry agents still send it. */
const legacyModels = object({
  currentModelId: string,
  availableModels: list(
    object({ modelId: string, name: string, description: optional(nullable(string)) }),
  ),
});

const tokens = optional(nullable(number));
const turnUsage = object({
  totalTokens: optional(number),
  inputTokens: optional(number),
  outputTokens: optional(number),
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
});

const child = optional(described(string, "The agent's id of the child session that it was for."));
const via = oneOf("disk", "editor");
const editor = optional(described(string, "The name of the editor in which it was done."));
const allowedBy = optional(described(string, "The permission request that allowed it."));
const promptContent = {
  /** Chosen by the client: a repeated id is acknowledged and not sent twice. */
  promptId: string,
  content: list(acp<ContentBlock>("A content block of ACP.")),
  by: string,
};

/** Schemas that views share with events. */
export const eventSchemas = {
  confinement,
  actor,
  modes,
  configOptions,
  models: nullable(legacyModels),
  agentInfo: nullable(acp<Implementation>("Name and version, as the agent gave them.")),
  capabilities: acp<AgentCapabilities>("The agent capabilities of ACP."),
  startedHow: oneOf("new", "resume", "load", "fork", "transcript"),
  turnState: oneOf("running", "stalled", "cancelling"),
  rung: oneOf("cancel", "cancel-request", "restart"),
  stopReason: openString<StopReason | "interrupted" | "failed">(),
  codeAndMessage: object({ code: string, message: text }),
  turnUsage,
  permissionOptions: list(acp<PermissionOption>("A permission option of ACP.")),
  question: acp<CreateElicitationRequest>("A question of ACP (elicitation)."),
  askOutcome: acp<RequestPermissionOutcome | CreateElicitationResponse>(
    "The outcome of a permission request, or the answer to a question.",
  ),
};
const shared = eventSchemas;

/**
 * The vocabulary of the log: the fields of each kind of event. Fields may be added, never renamed, so that old logs stay
 * readable. A kind with several forms is a list of them. `by` is the id of the client that caused the event.
 */
const eventFields = {
  "session-opened": {
    agent: string,
    cwd: string,
    roots: list(string),
    title: nullable(string),
    /** The session that this one was forked from or belongs to. */
    parent: nullable(string),
    /** The agent's own id of its copy of the parent's session, where it made one. */
    agentSessionId: optional(string),
    by: string,
  },
  "session-changed": {
    title: optional(nullable(string)),
    cwd: optional(string),
    roots: optional(list(string)),
    by: optional(string),
  },
  "session-closed": { by: string },
  /** The maximum number of agents runs: this one starts when another ends. */
  "agent-waiting": { running: integer, limit: integer },
  "agent-started": {
    agentSessionId: string,
    /** How the agent got the conversation back. `fork`: it copied the parent's session. */
    how: shared.startedHow,
    info: shared.agentInfo,
    capabilities: shared.capabilities,
    /** How the whole agent is confined. Absent in older logs. */
    confinement: optional(confinement),
    /** The gateway started Landline's own agent, and not one that a config put in its place. */
    isBuiltIn: optional(isTrue),
  },
  "agent-exited": {
    code: nullable(number),
    signal: nullable(string),
    /** The end of what it wrote to stderr. */
    stderr: text,
    /** Why the gateway ended it while it did nothing: idle for long, its slot was needed, or `by` signed out. */
    because: optional(oneOf("idle", "room", "signed-out")),
    by: optional(string),
  },
  /** Lines on stdout that were not JSON-RPC: the first few of a burst, and how many there were. */
  "agent-noise": { lines: list(text), count: integer, reason: string },
  "options-changed": {
    modes: optional(modes),
    configOptions: optional(configOptions),
    models: optional(shared.models),
    /** Absent when the agent changed them, or its end did. */
    by: optional(string),
  },
  "prompt-queued": promptContent,
  "prompt-changed": promptContent,
  "prompt-withdrawn": { promptId: string, by: string },
  /** `before`: the prompt that it is now sent before; null: it is the last of the queue. */
  "prompt-moved": { promptId: string, before: nullable(string), by: string },
  "turn-started": { turnId: string, promptId: string },
  /** The turn was silent for too long, or its cancellation reached the next step (`rung`). */
  "turn-changed": {
    turnId: string,
    state: shared.turnState,
    rung: optional(shared.rung),
    by: optional(string),
  },
  "turn-ended": {
    turnId: string,
    /** `interrupted`: the gateway was killed during the turn, or this is a copy made then. `failed`: see `error`. */
    stopReason: shared.stopReason,
    error: optional(shared.codeAndMessage),
    usage: optional(turnUsage),
  },
  /**
   * One `session/update`: the bytes of the agent's `params.update`. Its kind and spelling may be unknown, so it has no type;
   * `update-reading.ts` reads it.
   */
  update: {
    update: described(record, "`params.update` as the agent sent it."),
    child,
  },
  "ask-opened": [
    {
      askId: string,
      ask: oneOf("permission"),
      toolCall: acp<ToolCallUpdate>("The tool call that it is about."),
      options: shared.permissionOptions,
      child,
    },
    { askId: string, ask: oneOf("question"), request: shared.question, child },
  ],
  /** Why a person is asked although a rule would have allowed it: clauses that follow "because". */
  "ask-explained": { askId: string, reasons: list(string) },
  "ask-settled": {
    askId: string,
    outcome: shared.askOutcome,
    by: actor,
    /** What a person wrote with a rejection, at most `noteLength` long. It is the next prompt, too. */
    note: optional(text),
  },
  "file-read": {
    path: string,
    bytes: integer,
    via,
    editor,
    line: optional(number),
    limit: optional(number),
    ask: allowedBy,
  },
  /** `ask` is there only where it is certain. */
  "file-written": { path: string, bytes: integer, via, editor, ask: allowedBy },
  "terminal-opened": {
    terminalId: string,
    command: text,
    args: list(text),
    cwd: string,
    /** Absent in older logs. */
    confinement: optional(confinement),
    editor,
  },
  /**
   * A command that its sandbox stopped runs again from its start, because a person allowed it. Its output continues.
   */
  "terminal-restarted": { terminalId: string, confinement, ask: string },
  "terminal-output": { terminalId: string, text },
  "terminal-exited": { terminalId: string, exitCode: nullable(number), signal: nullable(string) },
  /** `help` says what to do about it. */
  error: { code: string, message: text, help: optional(string) },
} as const satisfies Readonly<Record<string, Fields | readonly Fields[]>>;

type EventFields = typeof eventFields;

export type EventKind = keyof EventFields;

export interface EventForm {
  readonly kind: EventKind;
  readonly fields: Fields;
}

/** Every form of every kind. */
export const eventForms: readonly EventForm[] = Object.entries(eventFields).flatMap(
  ([kind, fields]) => {
    const forms = (Array.isArray(fields) ? fields : [fields]) as readonly Fields[];
    return forms.map((form) => ({ kind: kind as EventKind, fields: form }));
  },
);

/** One event of a log. One event is one line. */
export type SessionEvent = EventBody & Numbered;

/** What the log adds to a body: the sequence number, and the time in milliseconds since 1970. */
export interface Numbered {
  readonly seq: number;
  readonly at: number;
}

export type EventBody = { [Kind in EventKind]: BodyOf<Kind> }[EventKind];

export type BodyOf<Kind extends EventKind> = FormOf<Kind, EventFields[Kind]>;

type FormOf<Kind, Of> = Of extends readonly (infer Form)[]
  ? FormOf<Kind, Form>
  : Of extends Fields
    ? { readonly kind: Kind } & ObjectOf<Of>
    : never;

export type SessionOpened = BodyOf<"session-opened">;
export type SessionChanged = BodyOf<"session-changed">;
export type SessionClosed = BodyOf<"session-closed">;
export type AgentWaiting = BodyOf<"agent-waiting">;
export type AgentStarted = BodyOf<"agent-started">;
export type AgentExited = BodyOf<"agent-exited">;
export type AgentNoise = BodyOf<"agent-noise">;
export type OptionsChanged = BodyOf<"options-changed">;
export type PromptQueued = BodyOf<"prompt-queued">;
export type PromptChanged = BodyOf<"prompt-changed">;
export type PromptWithdrawn = BodyOf<"prompt-withdrawn">;
export type PromptMoved = BodyOf<"prompt-moved">;
export type TurnStarted = BodyOf<"turn-started">;
export type TurnChanged = BodyOf<"turn-changed">;
export type TurnEnded = BodyOf<"turn-ended">;
export type Update = BodyOf<"update">;
export type RawUpdate = Update["update"];
export type AskOpened = BodyOf<"ask-opened">;
export type PermissionOpened = Extract<AskOpened, { readonly ask: "permission" }>;
export type QuestionOpened = Extract<AskOpened, { readonly ask: "question" }>;
export type AskExplained = BodyOf<"ask-explained">;
export type AskSettled = BodyOf<"ask-settled">;
export type FileRead = BodyOf<"file-read">;
export type FileWritten = BodyOf<"file-written">;
export type TerminalOpened = BodyOf<"terminal-opened">;
export type TerminalRestarted = BodyOf<"terminal-restarted">;
export type TerminalOutput = BodyOf<"terminal-output">;
export type TerminalExited = BodyOf<"terminal-exited">;
export type ErrorRaised = BodyOf<"error">;

export type Confinement = TypeOf<typeof confinementSchema>;
export type GatewayReason = TypeOf<typeof gatewayReason>;
/** Who did it: an attached client, a rule, or the gateway itself and why. */
export type Actor = TypeOf<typeof actor>;
export type LegacyModels = TypeOf<typeof legacyModels>;
export type TurnUsage = TypeOf<typeof turnUsage>;

/** Takes the place of a string that is too long for a line of the log. The string is stored once, beside the log. */
export interface BlobReference {
  readonly $blob: string;
  readonly bytes: number;
}
