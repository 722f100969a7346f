import type { GatewayFrame } from "@landline/protocol";
import { AttachedSession, type SessionContext } from "./attached-session.ts";
import type { Commands } from "./commands.ts";
import { methodsOfSession } from "./command-methods.ts";
import type { Session, SessionSnapshot } from "./contract.ts";
import type { Outbox } from "./outbox.ts";
import { SessionHandle, type SessionOwner } from "./session-handle.ts";

interface Kept {
  readonly handle: Session;
  readonly session: AttachedSession;
  subscribers: number;
  lingerTimer?: ReturnType<typeof setTimeout>;
}

const ends: ReadonlySet<SessionSnapshot["state"]> = new Set(["live", "gone", "failed"]);

/**
 * Sessions with subscribers, and the last `idleSessions` without, which can resume. A session is attached while it
 * has subscribers and for `lingerMs` after.
 */
export class SessionRegistry implements SessionOwner {
  readonly #context: SessionContext;
  /** Ordered by last use, the latest last. */
  readonly #kept = new Map<string, Kept>();

  constructor(context: SessionContext) {
    this.#context = context;
    const forEach = (act: (session: AttachedSession) => void) => {
      // Listeners may use sessions, which changes their order, so iterate over a copy.
      const present = [...this.#kept.values()];
      for (const { session } of present) act(session);
    };
    const changed = () => forEach((session) => session.lineChanged());
    context.line.onOnline.add(changed);
    context.line.onBroken.add(changed);
    // A connection that was never online does not emit `onBroken` but may become offline.
    context.line.connection.subscribe(() => forEach((session) => session.publish()));
    context.line.onFrame.add((frame) => this.#hear(frame));
    context.outbox.onChange.add((sessionId) => this.#kept.get(sessionId)?.session.publish());
  }

  get commands(): Commands {
    return this.#context.commands;
  }

  get outbox(): Outbox {
    return this.#context.outbox;
  }

  handle(sessionId: string): Session {
    const known = this.#kept.get(sessionId);
    if (known) return known.handle;
    return this.#keep(new SessionHandle(sessionId, this)).handle;
  }

  find(handle: SessionHandle): AttachedSession {
    return this.#keep(handle).session;
  }

  subscribe(handle: SessionHandle, listener: () => void): () => void {
    const kept = this.#keep(handle);
    clearTimeout(kept.lingerTimer);
    const unsubscribe = kept.session.store.subscribe(listener);
    kept.subscribers += 1;
    kept.session.want();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      unsubscribe();
      kept.subscribers -= 1;
      if (kept.subscribers === 0) this.#linger(kept);
    };
  }

  async caughtUp(handle: SessionHandle): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (ends.has(handle.getSnapshot().state) || this.#context.line.state === "closed") resolve();
    };
    const { line, timing } = this.#context;
    const late = setTimeout(resolve, timing.quickCommandMs);
    const stops = [this.subscribe(handle, look), line.connection.subscribe(look)];
    look();
    await promise;
    clearTimeout(late);
    for (const stop of stops) stop();
  }

  isAttached(sessionId: string): boolean {
    return this.#kept.get(sessionId)?.session.isAttached ?? false;
  }

  close(): void {
    for (const { session, lingerTimer } of this.#kept.values()) {
      clearTimeout(lingerTimer);
      session.close();
    }
  }

  #keep(handle: SessionHandle): Kept {
    const known = this.#kept.get(handle.id);
    if (known) {
      this.#kept.delete(handle.id);
      this.#kept.set(handle.id, known);
      return known;
    }
    const session = new AttachedSession(handle.id, this.#context);
    const methods = methodsOfSession(this.commands, handle.id);
    const kept: Kept = { handle: Object.assign(handle, methods), session, subscribers: 0 };
    this.#kept.set(handle.id, kept);
    this.#forgetIdle();
    return kept;
  }

  #linger(kept: Kept): void {
    if (this.#context.line.state === "closed") return;
    clearTimeout(kept.lingerTimer);
    kept.lingerTimer = setTimeout(() => {
      if (kept.subscribers > 0) return;
      kept.session.unwant();
      this.#forgetIdle();
    }, this.#context.timing.lingerMs);
  }

  #forgetIdle(): void {
    const idle = [...this.#kept.values()].filter(
      ({ subscribers, session }) => subscribers === 0 && !session.isWanted,
    );
    const excess = idle.length - this.#context.timing.idleSessions;
    for (const { session } of idle.slice(0, Math.max(0, excess))) this.#kept.delete(session.id);
  }

  #hear(frame: GatewayFrame): void {
    if (frame.type === "sessions") {
      for (const { sessionId, head } of frame.sessions) {
        this.#kept.get(sessionId)?.session.headIs(head);
      }
      for (const sessionId of frame.gone) this.#kept.get(sessionId)?.session.gone();
    } else if ("sessionId" in frame) {
      this.#kept.get(frame.sessionId)?.session.hear(frame);
    }
  }
}
