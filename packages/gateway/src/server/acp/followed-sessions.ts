import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { acpMeta, LandlineError, operations, type SessionView } from "@landline/protocol";
import type { AgentConnection } from "../../acp-connection/connection.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { Principal } from "../auth.ts";
import { hasRole } from "../roles.ts";
import type { Services } from "../services.ts";
import { optionsOf, type SessionFields } from "./acp-fields.ts";
import type { ConnectedEditor } from "./editor.ts";
import { FollowedSession, type Flow } from "./followed-session.ts";

export interface FollowedSessionsParts {
  readonly connection: AgentConnection;
  readonly principal: Principal;
  readonly services: Services;
  /** Where each session has a stream of its own. */
  readonly flowOf?: ((sessionId: string) => Flow) | undefined;
  /** Answers a permission request or question for the client. */
  readonly answer: (sessionId: string, askId: string, outcome: unknown) => Promise<void>;
}

/** What the client declared in `initialize`. */
export interface Introduced {
  readonly capabilities: ClientCapabilities;
  readonly editor: ConnectedEditor;
}

/** The sessions that one ACP client follows, each once, at most `sessionsPerSocket`. */
export class FollowedSessions implements Disposable {
  readonly #parts: FollowedSessionsParts;
  readonly #followed = new Map<string, FollowedSession>();
  #introduced: Introduced | null = null;
  #isOver = false;

  constructor(parts: FollowedSessionsParts) {
    this.#parts = parts;
  }

  /** A repeated `initialize` keeps the editor that sessions are attached to. */
  set introduced({ capabilities, editor }: Introduced) {
    this.#introduced = { capabilities, editor: this.#introduced?.editor ?? editor };
  }

  get(sessionId: string): FollowedSession | undefined {
    return this.#followed.get(sessionId);
  }

  /** The session with the cursor of this client. */
  async ensure(session: Session): Promise<FollowedSession> {
    const known = this.#followed.get(session.id);
    if (known) return known;
    await this.open(session);
    const followed = this.#followed.get(session.id);
    if (followed) return followed;
    throw new LandlineError("connection-lost");
  }

  /**
   * Follows the session, and returns its fields of the response. `catchUp` sends existing events; others are sent after
   * the response.
   */
  async open(session: Session, catchUp = skipAll): Promise<SessionFields> {
    const followed = this.#follow(session);
    const view = await session.view();
    await catchUp(followed, view);
    setImmediate(() => this.#continue(session, followed, view));
    return { ...optionsOf(view), _meta: { [acpMeta.cursor]: followed.cursor } };
  }

  /** Sends the history after the response. */
  async attach(session: Session): Promise<SessionFields> {
    const followed = this.#follow(session);
    const view = await session.view();
    setImmediate(() => {
      followed.replay(view).then(
        () => this.#continue(session, followed, view),
        (error: unknown) => followed.end(error as Error),
      );
    });
    return { ...optionsOf(view), _meta: { [acpMeta.cursor]: 0 } };
  }

  /** Sends what the client missed and what waits for its answer, and then responds. */
  async resume(
    session: Session,
    cursor: number,
    ownPrompts: readonly string[],
  ): Promise<SessionFields> {
    const followed = this.#follow(session);
    await followed.resume(cursor, ownPrompts);
    followed.reportTurn();
    const { turnState, cursor: head } = followed;
    if (this.#followed.get(session.id) === followed) followed.follow();
    const options = optionsOf(await session.view());
    return { ...options, _meta: { [acpMeta.cursor]: head, [acpMeta.turnState]: turnState } };
  }

  /** Throws if no further session can be followed. Null is a session that is not open yet. */
  mustHaveRoom(sessionId: string | null): void {
    const { sessionsPerSocket } = this.#parts.services.limits;
    if (this.#followed.size < sessionsPerSocket) return;
    if (sessionId !== null && this.#followed.has(sessionId)) return;
    throw new LandlineError("invalid-request", {
      message: `A connection can follow ${sessionsPerSocket} sessions.`,
      help: "Close one of them first, or open another connection.",
    });
  }

  /** Files and terminals of the session's agent go to this client, if it offers them and may control the session. */
  offerEditor(sessionId: string): void {
    const { principal, services } = this.#parts;
    if (this.#isOver || !this.#introduced || !hasRole(principal.role, operations.prompt.role))
      return;
    services.editors.attach(sessionId, this.#introduced.editor);
  }

  remove(sessionId: unknown): void {
    if (typeof sessionId !== "string") return;
    this.#followed.get(sessionId)?.[Symbol.dispose]();
    this.#followed.delete(sessionId);
    if (this.#introduced) this.#parts.services.editors.detach(sessionId, this.#introduced.editor);
  }

  /** A request that is still being handled attaches the editor no more. */
  [Symbol.dispose](): void {
    for (const sessionId of this.#followed.keys()) this.remove(sessionId);
    this.#isOver = true;
  }

  #follow(session: Session): FollowedSession {
    this.mustHaveRoom(session.id);
    this.remove(session.id);
    const { connection, principal, services, flowOf, answer } = this.#parts;
    const sessionId = session.id;
    const followed: FollowedSession = new FollowedSession({
      session,
      connection,
      ...(flowOf && { flow: () => flowOf(sessionId) }),
      capabilities: this.#introduced?.capabilities ?? {},
      terminalOf: (terminalId) => this.#introduced?.editor.terminalOf(terminalId),
      canAnswer: hasRole(principal.role, operations.answer.role),
      answer: (askId, outcome) => answer(sessionId, askId, outcome),
      ended: (error) => {
        if (this.#followed.get(sessionId) === followed) this.remove(sessionId);
        if (error) services.logger.error("a log could not be followed", { sessionId, error });
      },
    });
    this.#followed.set(sessionId, followed);
    this.offerEditor(sessionId);
    return followed;
  }

  #continue({ id }: Session, followed: FollowedSession, view: SessionView): void {
    if (this.#followed.get(id) === followed) followed.follow(view);
  }
}

const skipAll = (followed: FollowedSession, view: SessionView) => followed.skip(view);
