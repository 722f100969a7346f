import type { AuthMethod, ContentBlock } from "@agentclientprotocol/sdk";
import type {
  AgentSummary,
  LandlineError,
  PromptContent,
  SessionEvent,
  SessionSummary,
  SessionView,
  UnknownEvent,
} from "@landline/protocol";
import type { Api, CallInput, Me } from "./api.ts";
import type { GatewayMethods, SessionMethods } from "./command-methods.ts";
import type { Credential } from "./credential.ts";
import type { Store } from "./store.ts";

/**
 * One gateway, over one connection. After a disconnect it resumes: events arrive once and in order, commands are
 * answered or fail, and prompts are stored until they are acknowledged.
 */
export interface Landline extends GatewayMethods {
  readonly connection: Store<ConnectionSnapshot>;
  /** The caller, and the display name of each device, updated live. Null until it is loaded. */
  readonly me: Store<Me | null>;
  readonly sessions: SessionList;
  /** Null until the list is loaded. */
  readonly agents: Store<readonly AgentSummary[] | null>;
  /** The same object for the same id, while it has subscribers. */
  session(sessionId: string): Session;
  /** Resolves when the agent reports success, which may take minutes; `agents` shows the progress. */
  signIn(agent: string, methodId: AuthMethod["id"]): Promise<void>;
  /** Answers the question of a sign-in (`progress.question` in `agents`). */
  answerSignIn(agent: string, answer: QuestionOutcome): Promise<void>;
  /** The terminal of a sign-in (`progress.terminalId` in `agents`). */
  terminal(terminalId: string): SignInTerminal;
  /** The HTTP operations: rules, files, search … */
  readonly api: Api;
  /** Connects now instead of at `retryAt`. */
  reconnect(): void;
  /** Nothing is sent or received after this. */
  close(): void;
}

export interface ConnectionSnapshot {
  /**
   * `refused`: authentication failed (see `error`); the client does not retry. `offline`: the gateway cannot be
   * reached; the next attempt is at `retryAt`.
   */
  readonly state: "connecting" | "online" | "offline" | "refused" | "closed";
  readonly via: "websocket" | "sse" | null;
  /** When this state began. */
  readonly since: number;
  readonly retryAt: number | null;
  readonly error: LandlineError | null;
}

export interface SessionList extends Store<SessionListSnapshot> {
  /** Loads the next page of older sessions. */
  loadMore(): Promise<void>;
}

export interface SessionListSnapshot {
  /** The one with the latest event first. */
  readonly sessions: readonly SessionSummary[];
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
}

/** One session. It is attached while it has subscribers, and resumes after every disconnect; the view stays meanwhile. */
export interface Session extends Store<SessionSnapshot>, SessionMethods {
  readonly id: string;
  /** Resolves when the prompt is in the log. Until then it is in `outgoing`, even across a reload of the page. */
  prompt(content: PromptContent, promptId?: string): Promise<void>;
  /** Changes a prompt whose turn has not started. */
  changePrompt(promptId: string, content: PromptContent): Promise<void>;
  withdrawPrompt(promptId: string): Promise<void>;
  /** Moves a waiting prompt before another, or to the end. */
  movePrompt(promptId: string, before: string | null): Promise<void>;
  /** Loads one more page of history into `older`. */
  loadOlder(): Promise<void>;
  /** Calls the listener with each event, once and in order, after it was folded. */
  onEvents(listener: (events: readonly (SessionEvent | UnknownEvent)[]) => void): () => void;
}

export interface SessionSnapshot {
  readonly sessionId: string;
  /**
   * `waiting`: nothing is requested. `catching-up`: events that are older than the attach are still to come.
   * `offline`: disconnected, and the view may be out of date. `gone`: it was deleted or never existed.
   */
  readonly state: "waiting" | "attaching" | "catching-up" | "live" | "offline" | "gone" | "failed";
  /** Null until it is loaded. */
  readonly view: SessionView | null;
  /**
   * History before the view in consecutive parts, oldest first. Open items of a part are also at the start of the
   * view, in their current state; `itemsOf` returns each once.
   */
  readonly older: readonly SessionView[];
  readonly history: "whole" | "more" | "loading" | "failed";
  /** The number of events to come while it catches up. */
  readonly behind: number;
  /** Prompts that the gateway has not acknowledged, oldest first. */
  readonly outgoing: readonly OutgoingPrompt[];
  /** Why it is `failed`. */
  readonly error: LandlineError | null;
}

export interface OutgoingPrompt {
  readonly promptId: string;
  readonly content: readonly ContentBlock[];
  readonly at: number;
  /** `refused`: the gateway refused it (see `error`); it can be changed or withdrawn. */
  readonly state: "waiting" | "sending" | "refused";
  readonly error: LandlineError | null;
}

/** The answer to a permission request or a question. */
export type AskOutcome = NonNullable<CallInput<"answer">["outcome"]>;

export type QuestionOutcome = CallInput<"answer-sign-in">["outcome"];

/**
 * `config` is set in this order before the first prompt, such as an agent's `lastChoices`. What the agent rejects is an
 * error in the log, and the session starts without it.
 */
export type OpenRequest = CallInput<"open">;

/** The terminal of a sign-in. Each listener receives the whole output from the beginning. */
export interface SignInTerminal {
  onOutput(listener: (text: string) => void): () => void;
  /** Sends input. */
  write(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
}

export interface LandlineOptions {
  /** The address of the gateway with its base path. Default: the address of the page. */
  readonly url?: string | URL;
  /** Not needed in a page that the gateway serves, which has its own key. */
  readonly token?: string;
  /** A source of tokens, instead of `token`. */
  readonly credential?: Credential;
  /** Storage for unacknowledged prompts. Default: `localStorage` in a browser, memory elsewhere. */
  readonly storage?: OutboxStorage;
  /** The time limit of a command; sign-ins may take longer. */
  readonly commandMs?: number;
  /** `auto`: WebSocket, or server-sent events if no WebSocket can be opened. */
  readonly transport?: "auto" | "websocket" | "sse";
  /** Replaces the global `fetch`, for a gateway on a Unix domain socket; with `transport: "sse"`. */
  readonly fetch?: typeof fetch;
}

/** The part of the Web Storage API that is used. */
export type OutboxStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;
