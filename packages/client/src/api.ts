import type { AuthMethod } from "@agentclientprotocol/sdk";
import type {
  AgentSummary,
  HttpOperationName,
  Input,
  Output,
  SessionEvent,
  SessionSummary,
  UnknownEvent,
} from "@landline/protocol";

/** The gateway's operations over HTTP. Each call may fail with a `LandlineError`. */
export interface Api {
  /** Any operation of docs/api.md that has an HTTP address, by its name. */
  call<Name extends HttpOperationName>(
    name: Name,
    input: CallInput<Name>,
    options?: CallOptions,
  ): Promise<Output<Name>>;
  me(): Promise<Me>;
  /** How one can sign in to an agent. It is started where it has not said so yet. */
  signInMethods(agent: string): Promise<readonly AuthMethod[]>;
  /** Its `lastChoices`: the next session with it begins as the agent wants it. */
  forgetChoices(agent: string): Promise<void>;
  agents(): Promise<readonly AgentSummary[]>;
  /** The one with the latest event first. */
  sessions(page: SessionsWanted): Promise<SessionsPage>;
  events(sessionId: string, page: EventsWanted): Promise<EventsPage>;
  blob(sessionId: string, hash: string): Promise<string>;
  files(sessionId: string, text: string, limit?: number): Promise<FilesFound>;
  /** The same for a folder where no session is yet. */
  filesIn(folder: string, text: string, limit?: number): Promise<FilesFound>;
  folders(path?: string): Promise<FolderListing>;
  search(text: string, options?: { sessionId?: string; limit?: number }): Promise<SearchHit[]>;
  rules(): Promise<Rule[]>;
  /** The rule in words, and what to know besides, before it is saved. */
  previewRule(rule: NewRule): Promise<RuleWords>;
  addRule(rule: NewRule): Promise<Rule>;
  removeRule(id: string): Promise<void>;
  /** A person has looked at the rules after their file was damaged: rules allow again. */
  acknowledgeRulesDamage(): Promise<void>;
  /** Rules that would have answered an open permission, or why there are none. */
  suggestRules(sessionId: string, askId: string): Promise<RuleSuggestions>;
  devices(): Promise<Device[]>;
  /** The token is told here and never again. */
  addDevice(device: NewDevice): Promise<Output<"add-device">>;
  removeDevice(id: string): Promise<void>;
  /** The token of the link to the page that this start of the gateway has. */
  addLink(): Promise<Output<"add-link">>;
  /** The wire between the gateway and the agent; null when it is not kept (`landline serve --trace`). */
  trace(sessionId: string, page?: { before?: number; limit?: number }): Promise<TracePage | null>;
  /** The whole session, to take away. */
  export(sessionId: string, format: ExportFormat): Promise<string>;
  /** An address to be downloaded from, once and within a minute: it has a ticket in it, and no token. */
  exportUrl(sessionId: string, format: ExportFormat): Promise<string>;
}

export type ExportFormat = "json" | "markdown" | "html";

export type { Role } from "@landline/protocol";

export type CallInput<Name extends HttpOperationName> = ReadonlyDeep<Input<Name>>;

type ReadonlyDeep<Value> = Value extends object
  ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> }
  : Value;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly withinMs?: number;
}

export type Me = Output<"read-me">;

export interface SessionsWanted {
  /** Only those that work in this folder. */
  readonly cwd?: string;
  readonly limit: number;
  /** Where the page before ended; null for the first. */
  readonly cursor: string | null;
}

export interface SessionsPage {
  readonly sessions: readonly SessionSummary[];
  readonly nextCursor: string | null;
}

export interface EventsWanted {
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
}

export interface EventsPage {
  readonly events: readonly (SessionEvent | UnknownEvent)[];
  readonly head: number;
}

export type FilesFound = Output<"find-files">;
export type FoundFile = FilesFound["files"][number];
export type FolderListing = Output<"list-folders">;
export type SearchHit = Output<"search">["hits"][number];
export type Snippet = SearchHit["snippet"];
export type NewRule = CallInput<"add-rule">;

/** A rule as the gateway says it: its text, and what to know besides. */
export type RuleWords = Pick<Output<"preview-rule">, "text" | "notes">;
export type Rule = Output<"add-rule">;

export interface RuleSuggestions {
  /** The narrowest first. */
  readonly rules: readonly RuleSuggestion[];
  /** Why there are none, as a sentence; null when there are some. */
  readonly reason: string | null;
}

export type RuleSuggestion = Output<"suggest-rules">["rules"][number];
export type Device = Output<"list-devices">["devices"][number];
export type NewDevice = CallInput<"add-device">;

export interface TracePage {
  readonly lines: readonly TraceLine[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

export type TraceLine = NonNullable<Output<"read-trace">["lines"]>[number];
