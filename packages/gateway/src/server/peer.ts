import { LandlineError } from "@landline/protocol";
import type { Session, Sessions } from "../sessions/sessions.ts";
import { Attachment, type AttachmentOptions } from "./attachment.ts";
import type { Principal } from "./auth.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { Services } from "./services.ts";
import type { TerminalViews } from "./terminal-views.ts";

/** One socket, as the vocabulary that it speaks sees it. */
export interface Peer {
  readonly principal: Principal;
  readonly services: Services;
  readonly writer: FrameWriter;
  readonly attachments: Attachments;
  readonly lookups: Lookups;
  readonly terminals: TerminalViews;
}

/** What a socket speaks. */
export interface Vocabulary<Spoken> {
  readonly name: "landline.v1" | "bridge.v1";
  /** Null where the other side would not know what it is. */
  readonly pingFrame: Buffer | null;
  /** Throws what is wrong with the message. */
  read(message: unknown): Spoken;
  /** Carries it out and tells so. Returns the id of the session that was opened, if one was. */
  obey(command: Spoken): Promise<string | null>;
  refusal(error: LandlineError, message: unknown): Buffer;
}

/** The sessions that one socket follows, at most `sessionsPerSocket`, each once. */
export class Attachments implements Disposable {
  readonly #most: number;
  readonly #bySession = new Map<string, Attachment>();
  #isOver = false;

  constructor(most: number) {
    this.#most = most;
  }

  has(sessionId: string): boolean {
    return this.#bySession.has(sessionId);
  }

  sessionIds(): readonly string[] {
    return [...this.#bySession.keys()];
  }

  /** Throws when there is no room for it; null is a session that is yet to be opened. */
  mustTake(sessionId: string | null): void {
    if (this.#isOver) throw new LandlineError("connection-lost");
    if (this.#bySession.size < this.#most) return;
    if (sessionId !== null && this.has(sessionId)) return;
    throw new LandlineError("invalid-request", {
      message: `A socket can follow ${this.#most} sessions.`,
      help: "Detach from one first, or open another socket.",
    });
  }

  /** In place of the one before, if this session was followed already. */
  add(options: AttachmentOptions): void {
    const { sessionId } = options.log;
    this.mustTake(sessionId);
    this.remove(sessionId);
    const attachment: Attachment = new Attachment({
      ...options,
      ended: (error) => {
        if (this.#bySession.get(sessionId) === attachment) this.#bySession.delete(sessionId);
        options.ended(error);
      },
    });
    this.#bySession.set(sessionId, attachment);
  }

  remove(sessionId: string): void {
    this.#bySession.get(sessionId)?.[Symbol.dispose]();
    this.#bySession.delete(sessionId);
  }

  /** A command that is still under way can attach to nothing any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const sessionId of this.sessionIds()) this.remove(sessionId);
  }
}

/** Sessions by id. Of one id, they are given out in the order in which they were asked for. */
export class Lookups {
  readonly #sessions: Sessions;
  readonly #latest = new Map<string, Promise<Session>>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  find(sessionId: string): Promise<Session> {
    const get = () => this.#sessions.get(sessionId);
    const found = this.#latest.get(sessionId)?.then(get, get) ?? get();
    this.#latest.set(sessionId, found);
    const forget = () => {
      if (this.#latest.get(sessionId) === found) this.#latest.delete(sessionId);
    };
    found.then(forget, forget);
    return found;
  }
}
