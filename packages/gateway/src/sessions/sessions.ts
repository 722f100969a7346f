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

/** What the server calls. Every error is a LandlineError. */
export interface Sessions extends AsyncDisposable {
  /** Starts the agent and opens a session with it; when that fails, nothing of it is kept. */
  open(request: OpenRequest): Promise<Session>;
  /** A live session, or a dormant one from its log. Throws `session-not-found` or `session-expired`. */
  get(sessionId: string): Promise<Session>;
  list(query: SessionQuery): Promise<SessionPage>;
  /** Tells when a session was opened, changed its state or title, closed or went away. */
  watch(
    listener: (change: SessionSummary | { sessionId: string; deleted: true; by: string }) => void,
  ): Disposable;
  delete(sessionId: string, by: string): Promise<void>;
  /** Resolves when the index has what the logs have; where it can't keep up, after `listWaitMs`. */
  indexed(): Promise<void>;
  /** Which were deleted, and by whom, for the audit. */
  deletions(): Promise<readonly AuditEntry[]>;
  /** Cancels turns, ends agents, closes logs. */
  close(): Promise<void>;
}

export type OpenRequest = ReadonlyDeep<Omit<Input<"open">, "mcpServers">> &
  Pick<Input<"open">, "mcpServers"> & { readonly by: string };

/** One conversation. Commands are carried out in the order in which they come; `by` is the client's id. */
export interface Session {
  readonly id: string;
  readonly log: VisibleLog;
  readonly summary: SessionSummary;
  /** The folded view as of now, trimmed to its last items. */
  view(): Promise<SessionView>;
  /** Queues a prompt. One whose id is known already is acknowledged and not repeated. */
  prompt(promptId: string, content: readonly ContentBlock[], by: string): Promise<void>;
  changePrompt(promptId: string, content: readonly ContentBlock[], by: string): Promise<void>;
  withdrawPrompt(promptId: string, by: string): Promise<void>;
  /** To before another that waits; to the end when that is null. */
  movePrompt(promptId: string, before: string | null, by: string): Promise<void>;
  /** Goes up the ladder by one rung; does nothing when no turn runs. */
  cancel(by: string): Promise<void>;
  /** The note of a rejection is kept with it, and is the next prompt, before those that wait; its id is returned. */
  answer(
    askId: string,
    outcome: AskSettled["outcome"],
    by: string,
    note?: string,
  ): Promise<{ readonly promptId?: string }>;
  /** Rules that would have answered an open permission with allow, the narrowest first. */
  suggestRules(askId: string): Promise<RuleSuggestions>;
  setMode(modeId: string, by: string): Promise<void>;
  /** `isRemembered`: new sessions with this agent are to begin so. Modes are never remembered. */
  setConfig(
    configId: string,
    value: string | boolean,
    by: string,
    isRemembered?: boolean,
  ): Promise<void>;
  rename(title: string | null, by: string): Promise<void>;
  /** A new session with this one's history; returns it. */
  fork(by: string): Promise<Session>;
  /** Ends the agent; the log stays and the session can be gone on with. */
  close(by: string): Promise<void>;
}
