import type { SessionSummary } from "@landline/protocol";
import type { Derived } from "../derived/derived.ts";
import type { Session } from "./sessions.ts";

/**
 * Sessions that the database has not heard of yet: it follows the logs, and may be a moment behind. Lists have
 * them nevertheless. What it knows is forgotten here at the next list.
 */
export class NewSessions {
  readonly #derived: Pick<Derived, "session">;
  readonly #sessions = new Map<string, Session>();

  constructor(derived: Pick<Derived, "session">) {
    this.#derived = derived;
  }

  add(session: Session): void {
    this.#sessions.set(session.id, session);
  }

  remove(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  /** The latest first, as in the database's own list. */
  list({ cwd, parent }: { readonly cwd?: string; readonly parent?: string }): SessionSummary[] {
    for (const id of this.#sessions.keys()) if (this.#derived.session(id)) this.remove(id);
    return [...this.#sessions.values()]
      .map(({ summary }) => summary)
      .filter((summary) => cwd === undefined || summary.cwd === cwd)
      .filter((summary) => parent === undefined || summary.parent === parent)
      .sort((one, other) => other.lastAt - one.lastAt);
  }
}
