import type { AuthMethod, ToolKind } from "@agentclientprotocol/sdk";
import type { RulesDamage, SessionEvent, UnknownEvent } from "@landline/protocol";

/** What a client asks the gateway for over HTTP. Each call may fail with a `LandlineError`. */
export interface Api {
  me(): Promise<Me>;
  /** How one can sign in to an agent. It is started where it has not said so yet. */
  signInMethods(agent: string): Promise<readonly AuthMethod[]>;
  /** Its `lastChoices`: the next session with it begins as the agent wants it. */
  forgetChoices(agent: string): Promise<void>;
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
  addDevice(device: { name: string; role: Role }): Promise<Device & { token: string; url: string }>;
  removeDevice(id: string): Promise<void>;
  /** The wire between the gateway and the agent; null when it is not kept (`landline serve --trace`). */
  trace(sessionId: string, page?: { before?: number; limit?: number }): Promise<TracePage | null>;
  /** An address to be downloaded from, once and within a minute: it has a ticket in it, and no token. */
  exportUrl(sessionId: string, format: "json" | "markdown" | "html"): Promise<string>;
}

/** `watch` sees; `control` works with agents; `admin` also decides about devices, rules for everywhere and sign-ins. */
export type Role = "admin" | "control" | "watch";

export interface Me {
  /** Stands as `by` in events. */
  readonly clientId: string;
  readonly role: Role;
  /** Names of those who may come in, by the id that stands in events. */
  readonly people: Readonly<Record<string, string>>;
  /** While it is not null, no rule allows anything. */
  readonly rulesDamage: RulesDamage | null;
  /** Where the gateway was started: what a new session's folder may be. */
  readonly cwd: string;
  readonly home: string;
  readonly version: string;
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

export interface FilesFound {
  readonly files: readonly FoundFile[];
  readonly isCut: boolean;
}

export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly root: string;
  readonly kind: "file" | "folder";
}

export interface FolderListing {
  readonly path: string;
  readonly parent: string | null;
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** Whether some were left out. */
  readonly isCut: boolean;
}

export interface SearchHit {
  readonly sessionId: string;
  /** The event that began what was found. */
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly snippet: Snippet;
}

/** A part of the text, and where in it the found words are: [from, to). */
export interface Snippet {
  readonly text: string;
  readonly marks: readonly (readonly [from: number, to: number])[];
}

export interface NewRule {
  readonly decision: "allow" | "ask" | "deny";
  readonly what: {
    readonly toolKind?: ToolKind;
    readonly toolName?: string;
    readonly commandPrefix?: string;
    /** Commands that only read files of the project. */
    readonly onlyReads?: true;
    readonly pathGlob?: string;
    readonly host?: string;
    readonly agent?: string;
  };
  readonly where:
    | { readonly in: "session"; readonly sessionId: string }
    | { readonly in: "project"; readonly folder: string }
    | { readonly in: "everywhere" };
}

/** A rule as the gateway says it. */
export interface RuleWords {
  readonly text: string;
  /** What to know besides: which stricter rules decide before it, and what it does not cover. */
  readonly notes: readonly string[];
}

export interface Rule extends NewRule, RuleWords {
  readonly id: string;
  readonly at: number;
  readonly by: string;
}

export interface RuleSuggestions {
  /** The narrowest first. */
  readonly rules: readonly RuleSuggestion[];
  /** Why there are none, as a sentence; null when there are some. */
  readonly reason: string | null;
}

export interface RuleSuggestion extends RuleWords {
  readonly rule: NewRule;
  /** The text says what it would let through besides: it is to be read before it is saved. */
  readonly isRisky: boolean;
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly madeAt: number;
  /** Whether it is the one that asks. */
  readonly isThis: boolean;
}

export interface TracePage {
  readonly lines: readonly TraceLine[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

export interface TraceLine {
  /** Counts the lines of the trace from 1. */
  readonly number: number;
  readonly at: number;
  /** `in`: to the agent. `out`: from it. */
  readonly direction: "in" | "out";
  /** As it was on the wire, but for its secrets. */
  readonly message?: unknown;
  /** Instead of a message that is cut, or that is no JSON. */
  readonly text?: string;
  /** How many characters all of it has, where it is cut. */
  readonly length?: number;
}
