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
 * One gateway, over one connection. After any break it goes on where it stopped: events are seen once,
 * in order; commands that were given are answered or fail; prompts are kept until they are acknowledged.
 */
export interface Landline extends GatewayMethods {
  readonly connection: Store<ConnectionSnapshot>;
  /** Who we are to the gateway, and what all are called who may come in, as that changes. Null until it was heard. */
  readonly me: Store<Me | null>;
  readonly sessions: SessionList;
  /** Null until the list was heard. */
  readonly agents: Store<readonly AgentSummary[] | null>;
  /** The same object for the same id, for as long as somebody subscribes to it. */
  session(sessionId: string): Session;
  /** Ends when the agent says so, which may take a person minutes; `agents` shows how it goes. */
  signIn(agent: string, methodId: AuthMethod["id"]): Promise<void>;
  /** What the agent asked while it signs in (`agents` shows it in `progress.question`). */
  answerSignIn(agent: string, answer: QuestionOutcome): Promise<void>;
  /** A terminal in which a sign-in runs (`agents` shows its id in `progress.terminalId`). */
  terminal(terminalId: string): SignInTerminal;
  /** What is asked for and not told of: rules, files, search … */
  readonly api: Api;
  /** Tries to connect now, instead of when the wait is over. */
  reconnect(): void;
  /** Nothing is sent or received after this. */
  close(): void;
}

export interface ConnectionSnapshot {
  /**
   * `refused`: the gateway does not let us in (see `error`), and it is not tried again by itself.
   * `offline`: it can't be reached; the next try is at `retryAt`.
   */
  readonly state: "connecting" | "online" | "offline" | "refused" | "closed";
  readonly via: "websocket" | "sse" | null;
  /** When it got into this state. */
  readonly since: number;
  readonly retryAt: number | null;
  readonly error: LandlineError | null;
}

export interface SessionList extends Store<SessionListSnapshot> {
  /** The next older ones. */
  loadMore(): Promise<void>;
}

export interface SessionListSnapshot {
  /** The one with the latest event first. */
  readonly sessions: readonly SessionSummary[];
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
}

/**
 * One session, live while somebody subscribes: then it is attached, and resumed after every break. What was
 * heard stays when the line breaks.
 */
export interface Session extends Store<SessionSnapshot>, SessionMethods {
  readonly id: string;
  /** Resolves when the gateway has it in its log. Until then it is in `outgoing`, a reload of the page included. */
  prompt(content: PromptContent, promptId?: string): Promise<void>;
  /** One that the gateway has not started yet, acknowledged or not. */
  changePrompt(promptId: string, content: PromptContent): Promise<void>;
  withdrawPrompt(promptId: string): Promise<void>;
  /** Before another that waits, or to the end. */
  movePrompt(promptId: string, before: string | null): Promise<void>;
  /** One page more of what came before, into `older`. */
  loadOlder(): Promise<void>;
  /** Every event as it comes, after it was folded; the protocol view shows them. */
  onEvents(listener: (events: readonly (SessionEvent | UnknownEvent)[]) => void): () => void;
}

export interface SessionSnapshot {
  readonly sessionId: string;
  /**
   * `waiting`: nothing was asked for yet. `catching-up`: events come that are older than the attach.
   * `offline`: the line is broken, and what is shown may be old. `gone`: it was deleted, or never was.
   */
  readonly state: "waiting" | "attaching" | "catching-up" | "live" | "offline" | "gone" | "failed";
  /** Null until something was heard. */
  readonly view: SessionView | null;
  /**
   * What came before the view, in parts that follow each other, oldest first. What is open and began in a part
   * stands in the view too, before the rest, as it is now: `itemsOf` has each once.
   */
  readonly older: readonly SessionView[];
  readonly history: "whole" | "more" | "loading" | "failed";
  /** How many events are still to come while it catches up. */
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
  /** `refused`: the gateway did not take it (see `error`); it can be changed or withdrawn. */
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

/** The screen of a sign-in: what it shows is told once, from the beginning, to each who subscribes. */
export interface SignInTerminal {
  onOutput(listener: (text: string) => void): () => void;
  /** What a person typed. */
  write(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
}

export interface LandlineOptions {
  /** Where the gateway is, with its base path; the address of the page unless told. */
  readonly url?: string | URL;
  /** Not needed in a page that the gateway serves: that has a key of its own. */
  readonly token?: string;
  /** In place of a token: where tokens come from. */
  readonly credential?: Credential;
  /** Where prompts are kept that are not acknowledged: `localStorage` in a browser, memory elsewhere. */
  readonly storage?: OutboxStorage;
  /** How long a command may take; sign-ins may take longer. */
  readonly commandMs?: number;
  /** `auto` tries WebSocket first, and server-sent events where that is impossible. */
  readonly transport?: "auto" | "websocket" | "sse";
  /** In place of the global `fetch`, for requests and server-sent events: for a gateway on a socket of the file system. */
  readonly fetch?: typeof fetch;
}

/** The part of the Web Storage API that is used. */
export type OutboxStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;
