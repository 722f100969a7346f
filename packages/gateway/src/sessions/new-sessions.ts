import type { SessionSummary } from "@landline/protocol";
import type { IndexDatabase } from "../index/index-database.ts";
import type { SessionQuery } from "../index/session-table.ts";
import type { Session } from "./sessions.ts";

/**
 * New sessions that are not in the index yet, which follows the logs with a delay. Lists include them. Indexed ones
 * are removed at the next `add` or list.
 */
export class NewSessions {
  readonly #indexDatabase: Pick<IndexDatabase, "session">;
  readonly #sessions = new Map<string, Session>();

  constructor(indexDatabase: Pick<IndexDatabase, "session">) {
    this.#indexDatabase = indexDatabase;
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
   * A page of the index, and the new sessions that precede it, the latest first. New sessions are listed before the
   * read, so that one indexed in between is not missed.
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
    for (const id of this.#sessions.keys()) if (this.#indexDatabase.session(id)) this.remove(id);
  }
}

interface ReadPage {
  readonly sessions: readonly { readonly sessionId: string }[];
}
