import type { EventBody, Limits } from "@landline/protocol";

/** The session that agent requests are handled for. */
export interface SessionContext {
  readonly sessionId: string;
  readonly agent: string;
  readonly cwd: string;
  /** Absolute, resolved; the cwd is one of them. */
  readonly roots: readonly string[];
  /** Folders that agents never get access to, inside a root or not: the gateway's own data. Absolute, resolved. */
  readonly closed?: readonly string[];
  readonly limits: Limits;
  /** Whether the agent has the quirk `relativePaths`: its relative paths are taken from the cwd. */
  readonly takesRelativePaths?: boolean;
  /** Appends to the session's log, in order with everything else. Throws if the log refuses. */
  record(...events: EventBody[]): void;
}
