import type { EventBody, Limits } from "@landline/protocol";

/** What a duty knows of the session for which it is done. */
export interface DutyContext {
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  /** Absolute, resolved; the cwd is one of them. */
  readonly roots: readonly string[];
  /** Folders that no duty uses, inside a root or not: the gateway's own data. Absolute, resolved. */
  readonly closed?: readonly string[];
  readonly limits: Limits;
  /** Whether the agent has the quirk `relativePaths`: its relative paths are taken from the cwd. */
  readonly takesRelativePaths?: boolean;
  /** Appends to the session's log, in order with everything else. Throws when the log refuses. */
  record(...events: EventBody[]): void;
}
