export type SessionProblemReason =
  | "session-not-found"
  | "session-locked"
  | "unknown-mode"
  | "unknown-model"
  | "unknown-option"
  | "bad-request";

/** A request to a session that cannot be fulfilled. The message says what to do. */
export class SessionProblem extends Error {
  override readonly name = "SessionProblem";
  readonly reason: SessionProblemReason;
  constructor(reason: SessionProblemReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
