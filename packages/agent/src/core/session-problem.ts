export type SessionProblemReason =
  | "session-not-found"
  | "session-locked"
  | "unknown-mode"
  | "unknown-model"
  | "unknown-option"
  | "bad-request";

/** What a client asked of a session that can't be. The message says what to do. */
export class SessionProblem extends Error {
  override readonly name = "SessionProblem";
  readonly reason: SessionProblemReason;
  constructor(reason: SessionProblemReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
