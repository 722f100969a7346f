import type { SessionSummary } from "@landline/protocol";
import type { Derived } from "../index/derived.ts";
import type { SessionQuery } from "../index/session-table.ts";
import type { Session } from "./sessions.ts";

/**
 * Sessions that the database has not heard of yet: it follows the logs, and may be a moment behind. Lists have
 * them nevertheless. What it knows is forgotten here at the next list, or when the next one is added.
 */
export class NewSessions {
  readonly #derived: Pick<Derived, "session">;
  readonly #sessions = new Map<string, Session>();

  constructor(derived: Pick<Derived, "session">) {
    this.#derived = derived;
  }

  add(session: Session): void {
    this.#forgetKnown();
    this.#sessions.set(session.id, session);
  }

  remove(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  get titles(): readonly (string | null)[] {
    return [...this.#sessions.values()].map(({ summary }) => summary.title);
  }

  /**
   * A page of the database, and those that belong before it, the latest first. They are looked for before it is
   * read: one that the database hears of in between is in the page, and not left out of both.
   */
  readPage<Page extends ReadPage>(
    query: SessionQuery,
    read: () => Page,
  ): { readonly newOnes: readonly SessionSummary[]; readonly page: Page } {
    const found = query.cursor === undefined ? this.#list(query) : [];
    const page = read();
    const known = new Set(page.sessions.map(({ sessionId }) => sessionId));
    return { newOnes: found.filter(({ sessionId }) => !known.has(sessionId)), page };
  }

  #list({ cwd, parent }: SessionQuery): SessionSummary[] {
    this.#forgetKnown();
    return [...this.#sessions.values()]
      .map(({ summary }) => summary)
      .filter((summary) => cwd === undefined || summary.cwd === cwd)
      .filter((summary) => parent === undefined || summary.parent === parent)
      .sort((one, other) => other.lastAt - one.lastAt);
  }

  #forgetKnown(): void {
    for (const id of this.#sessions.keys()) if (this.#derived.session(id)) this.remove(id);
  }
}

interface ReadPage {
  readonly sessions: readonly { readonly sessionId: string }[];
}
