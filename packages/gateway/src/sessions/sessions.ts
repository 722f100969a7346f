import type { ContentBlock } from "@agentclientprotocol/sdk";
import type {
  AskSettled,
  Input,
  ReadonlyDeep,
  SessionSummary,
  SessionView,
} from "@landline/protocol";
import type { RuleSuggestions } from "../acp-client/permissions/suggest-rules.ts";
import type { AuditEntry } from "../index/audit-table.ts";
import type { SessionPage, SessionQuery } from "../index/session-table.ts";
import type { VisibleLog } from "../log/log.ts";
import type { ExtensionMethods } from "./extension-methods.ts";

/** The interface for the server. Every error is a LandlineError. */
export interface Sessions extends AsyncDisposable {
  /** Starts the agent and opens a session. If that fails, nothing is stored. */
  open(request: OpenRequest): Promise<Session>;
  /** Returns a live session, or loads a dormant one. Throws `session-not-found` or `session-expired`. */
  get(sessionId: string): Promise<Session>;
  list(query: SessionQuery): Promise<SessionPage>;
  /** Calls the listener when a session is opened, closed or deleted, or changes its state or title. */
  watch(
    listener: (change: SessionSummary | { sessionId: string; deleted: true; by: string }) => void,
  ): Disposable;
  delete(sessionId: string, by: string): Promise<void>;
  /** Resolves when the index has caught up with the logs, or after `listWaitMs`. */
  indexed(): Promise<void>;
  /** Deleted sessions and who deleted them, for the audit. */
  deletions(): Promise<readonly AuditEntry[]>;
  /** Cancels turns, ends agents, closes logs. */
  close(): Promise<void>;
}

export type OpenRequest = ReadonlyDeep<Omit<Input<"open">, "mcpServers">> &
  Pick<Input<"open">, "mcpServers"> & { readonly by: string };

/** One session. Commands run in order of arrival; `by` is the client's id. */
export interface Session {
  readonly id: string;
  readonly log: VisibleLog;
  readonly summary: SessionSummary;
  /** The current view, trimmed to its last items. */
  view(): Promise<SessionView>;
  /** Queues a prompt. Returns false for a repeated id: it is not queued again. */
  prompt(promptId: string, content: readonly ContentBlock[], by: string): Promise<boolean>;
  changePrompt(promptId: string, content: readonly ContentBlock[], by: string): Promise<void>;
  withdrawPrompt(promptId: string, by: string): Promise<void>;
  /** Moves a prompt before another queued one, or to the end if `before` is null. */
  movePrompt(promptId: string, before: string | null, by: string): Promise<void>;
  /**
   * Takes the next step of the cancel ladder. Does nothing if no turn runs. With the id of a prompt, cancels only that
   * prompt, and repetitions do nothing.
   */
  cancel(by: string, promptId?: string): Promise<void>;
  /** The note of a rejection is stored with it and becomes the next prompt. Returns the id of that prompt. */
  answer(
    askId: string,
    outcome: AskSettled["outcome"],
    by: string,
    note?: string,
  ): Promise<{ readonly promptId?: string }>;
  /** Rules that would allow an open permission request, the narrowest first. */
  suggestRules(askId: string): Promise<RuleSuggestions>;
  readonly extensions: Pick<ExtensionMethods, "request" | "notify">;
  setMode(modeId: string, by: string): Promise<void>;
  /** `isRemembered`: new sessions with this agent start with this value. Modes are never remembered. */
  setConfig(
    configId: string,
    value: string | boolean,
    by: string,
    isRemembered?: boolean,
  ): Promise<void>;
  rename(title: string | null, by: string): Promise<void>;
  /** Creates a new session with this one's history. */
  fork(by: string): Promise<Session>;
  /** Ends the agent. The log remains, and a prompt reopens the session. */
  close(by: string): Promise<void>;
}
