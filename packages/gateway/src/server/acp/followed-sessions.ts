import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { acpMeta, LandlineError, operations, type SessionView } from "@landline/protocol";
import type { AgentConnection } from "../../acp-connection/connection.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { Principal } from "../auth.ts";
import { hasRole } from "../roles.ts";
import type { Services } from "../services.ts";
import { optionsOf, type SessionFields } from "./acp-fields.ts";
import { ClientPrompts } from "./client-prompts.ts";
import type { ConnectedEditor } from "./editor.ts";
import { FollowedSession, type Flow } from "./followed-session.ts";
import type { OwnChoice } from "./sent-state.ts";

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
  /** Openings that have not ended, by session. */
  readonly #openings = new Map<string, Promise<void>>();
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

  /** Undefined unless exactly one session is followed. */
  get onlyId(): string | undefined {
    const [id, ...others] = this.#followed.keys();
    return others.length === 0 ? id : undefined;
  }

  /** Runs a choice of a mode or an option for the client. */
  async choose(sessionId: unknown, choice: OwnChoice, run: () => Promise<unknown>): Promise<void> {
    const followed = this.#followed.get(String(sessionId));
    await (followed ? followed.choose(choice, run) : run());
  }

  /** The session with the cursor of this client. */
  async ensure(session: Session): Promise<FollowedSession> {
    const { id } = session;
    if (!this.#followed.has(id))
      await this.#inOrder(id, async () => {
        if (!this.#followed.has(id)) await this.#open(session, skip);
      });
    const followed = this.#followed.get(id);
    if (followed) return followed;
    throw new LandlineError("connection-lost");
  }

  /** Follows a session without its history. Returns its fields of the response; its state is sent after the response. */
  open(session: Session): Promise<SessionFields> {
    return this.#inOrder(session.id, () => this.#open(session, skip));
  }

  /** Like `open`, for a session that the client may have followed before. */
  reopen(session: Session): Promise<SessionFields> {
    return this.#inOrder(session.id, () =>
      this.#open(session, async (followed, view) => {
        await followed.skip(view);
        followed.reportTurn();
      }),
    );
  }

  /** Sends the history after `cursor`, and then responds. Throws `cursor-ahead`. */
  load(session: Session, cursor: number): Promise<SessionFields> {
    return this.#inOrder(session.id, () => {
      mustBeInLog(session, cursor);
      return this.#open(session, async (followed, view) => {
        await followed.replay(view, cursor);
        followed.reportTurn();
      });
    });
  }

  /** Sends the history after the response. */
  attach(session: Session): Promise<SessionFields> {
    return this.#inOrder(session.id, async () => {
      const view = await session.view();
      const followed = this.#follow(session);
      setImmediate(() => {
        endIfFailed(followed, followed.replay(view)).then(
          () => followed.follow(view),
          () => {},
        );
      });
      followed.toldOptions(view);
      return { ...optionsOf(view, this.#capabilities), _meta: { [acpMeta.cursor]: 0 } };
    });
  }

  /**
   * Sends what the client missed and what waits for its answer, and then responds. `ownPrompts` are prompts that the
   * client sent on earlier connections. Throws `cursor-ahead`.
   */
  resume(session: Session, cursor: number, ownPrompts: readonly string[]): Promise<SessionFields> {
    return this.#inOrder(session.id, async () => {
      mustBeInLog(session, cursor);
      const view = await session.view();
      const followed = this.#follow(session);
      for (const promptId of ownPrompts) followed.prompts.addOwn(promptId);
      await endIfFailed(followed, followed.resume(view, cursor));
      followed.reportTurn();
      const { turnState, cursor: head } = followed;
      followed.follow();
      const options = optionsOf(await session.view(), this.#capabilities);
      return { ...options, _meta: { [acpMeta.cursor]: head, [acpMeta.turnState]: turnState } };
    });
  }

  /** Throws if no further session can be followed. Null is a session that is not open yet. */
  mustHaveRoom(sessionId: string | null): void {
    if (this.#isOver) throw new LandlineError("connection-lost");
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

  remove(sessionId: unknown, reason = new LandlineError("connection-lost")): void {
    if (typeof sessionId !== "string") return;
    const followed = this.#followed.get(sessionId);
    this.#followed.delete(sessionId);
    followed?.[Symbol.dispose]();
    followed?.prompts.fail(reason);
    if (this.#introduced) this.#parts.services.editors.detach(sessionId, this.#introduced.editor);
  }

  /** Requests that are still being handled cannot follow a session any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const sessionId of this.#followed.keys()) this.remove(sessionId);
  }

  /** Openings of one session run one after the other, so that their messages do not mix. */
  #inOrder<Value>(sessionId: string, open: () => Promise<Value>): Promise<Value> {
    const earlier = this.#openings.get(sessionId) ?? Promise.resolve();
    const opening = earlier.then(open);
    const opened = opening.then(
      () => this.#followed.get(sessionId)?.opened,
      () => {},
    );
    this.#openings.set(sessionId, opened);
    const forget = () => {
      if (this.#openings.get(sessionId) === opened) this.#openings.delete(sessionId);
    };
    void opened.then(forget);
    return opening;
  }

  async #open(session: Session, catchUp: CatchUp): Promise<SessionFields> {
    const view = await session.view();
    const followed = this.#follow(session);
    await endIfFailed(followed, catchUp(followed, view));
    setImmediate(() => followed.follow(view));
    followed.toldOptions(view);
    return { ...optionsOf(view, this.#capabilities), _meta: { [acpMeta.cursor]: followed.cursor } };
  }

  get #capabilities(): ClientCapabilities {
    return this.#introduced?.capabilities ?? {};
  }

  /** Replaces an earlier follower of the same session. Prompts of the client wait for their ends in the new one. */
  #follow(session: Session): FollowedSession {
    const sessionId = session.id;
    this.mustHaveRoom(sessionId);
    const earlier = this.#followed.get(sessionId);
    earlier?.[Symbol.dispose]();
    const { connection, principal, services, flowOf, answer } = this.#parts;
    const followed: FollowedSession = new FollowedSession({
      session,
      connection,
      ...(flowOf && { flow: () => flowOf(sessionId) }),
      capabilities: this.#capabilities,
      terminalOf: (terminalId) => this.#introduced?.editor.terminalOf(terminalId),
      canAnswer: hasRole(principal.role, operations.answer.role),
      answer: (askId, outcome) => answer(sessionId, askId, outcome),
      prompts: earlier?.prompts ?? new ClientPrompts(),
      ended: (reason) => {
        if (this.#followed.get(sessionId) === followed) this.remove(sessionId, reason);
        if (reason.code !== "session-closed")
          services.logger.error("a log could not be followed", { sessionId, error: reason });
      },
    });
    this.#followed.set(sessionId, followed);
    for (const promptId of followed.prompts.pending)
      void endIfFailed(followed, followed.recall(promptId)).catch(() => {});
    this.offerEditor(sessionId);
    return followed;
  }
}

type CatchUp = (followed: FollowedSession, view: SessionView) => Promise<void>;

const skip: CatchUp = (followed, view) => followed.skip(view);

/** A follower that cannot read the log is removed. */
async function endIfFailed(followed: FollowedSession, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    followed.end(error as Error);
    throw error;
  }
}

/** Checked before an earlier follower is replaced. */
function mustBeInLog({ log: { visible } }: Session, cursor: number): void {
  if (cursor > visible)
    throw new LandlineError("cursor-ahead", { data: { cursor, head: visible } });
}
