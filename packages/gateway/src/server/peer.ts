import { LandlineError } from "@landline/protocol";
import type { Session, Sessions } from "../sessions/sessions.ts";
import { Attachment, type AttachmentOptions } from "./attachment.ts";
import type { Principal } from "./auth.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { Services } from "./services.ts";
import type { TerminalViews } from "./terminal-views.ts";

/** One socket, as its dialect uses it. */
export interface Peer {
  readonly principal: Principal;
  readonly services: Services;
  readonly writer: FrameWriter;
  readonly attachments: Attachments;
  readonly lookups: Lookups;
  readonly terminals: TerminalViews;
}

/** The dialect of a socket. */
export interface SocketDialect<SocketCommand> {
  readonly name: "landline.v1" | "bridge.v1";
  /** Null where the client does not understand pings. */
  readonly pingFrame: Buffer | null;
  /** Throws when the message is invalid. */
  read(message: unknown): SocketCommand;
  /** Executes the command and replies. Returns the id of the session that it opened, or null. */
  execute(command: SocketCommand): Promise<string | null>;
  refusal(error: LandlineError, message: unknown): Buffer;
}

/** The sessions that one socket follows, each once, at most `sessionsPerSocket`. */
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

  /** Throws when the limit is reached. Null is a session that is not open yet. */
  mustTake(sessionId: string | null): void {
    if (this.#isOver) throw new LandlineError("connection-lost");
    if (this.#bySession.size < this.#most) return;
    if (sessionId !== null && this.has(sessionId)) return;
    throw new LandlineError("invalid-request", {
      message: `A socket can follow ${this.#most} sessions.`,
      help: "Detach from one first, or open another socket.",
    });
  }

  /** Replaces an earlier attachment to the same session. */
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

  /** Commands that are still running cannot attach any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const sessionId of this.sessionIds()) this.remove(sessionId);
  }
}

/** Looks up sessions by id. Lookups of the same id resolve in order. */
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
