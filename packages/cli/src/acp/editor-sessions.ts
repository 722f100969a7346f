import type { AcpUpdatePlace } from "@landline/protocol";
import { cursorIn, objectAt, readMessage, type JsonObject, type Message } from "./json-rpc.ts";
import type { EditorRequest } from "./editor-requests.ts";

/** A session that the editor uses. */
interface EditorSession {
  /** The last event whose updates the editor has received. */
  cursor: number;
  /** False while the editor waits for the response that opens it. */
  isOpen: boolean;
  /** Whether the current connection follows it. Until then, requests for it are not sent. */
  isFollowed: boolean;
  /** Updates of an event whose last update was not received yet. */
  held: string[];
  /** The last update of version 2 that the editor has received; null in version 1, where it is not needed. */
  last: string | null;
}

/** Where a new connection continues a session. */
export interface SessionPlace {
  readonly sessionId: string;
  readonly cursor: number;
  /** In version 2 of ACP, the message that the last update added text to. */
  readonly message?: JsonObject | null;
}

/** Requests whose response opens a session in the editor. */
const opening: ReadonlySet<string> = new Set([
  "session/new",
  "session/load",
  "session/resume",
  "session/fork",
]);

/** The sessions that the editor uses, and up to which event it has received each of them. */
export class EditorSessions {
  isVersion2 = false;
  readonly #sessions = new Map<string, EditorSession>();

  /** Returns the lines that the editor may receive: all updates of an event, or none. */
  received({ sessionId, cursor, hasMore }: AcpUpdatePlace, line: string): readonly string[] {
    const session = this.#sessions.get(sessionId);
    if (!session) return [line];
    session.held.push(line);
    if (hasMore) return [];
    const lines = session.held;
    session.held = [];
    if (cursor !== null) session.cursor = cursor;
    if (this.isVersion2 && !line.includes(STATE_UPDATE)) session.last = line;
    return lines;
  }

  /** The connection was lost. */
  lost(): void {
    for (const session of this.#sessions.values()) {
      session.held = [];
      session.isFollowed = false;
    }
  }

  /** The sessions that a new connection has to follow. */
  toFollow(): readonly SessionPlace[] {
    return [...this.#sessions].flatMap(([sessionId, { isOpen, cursor, last }]) =>
      isOpen ? [{ sessionId, cursor, ...(last !== null && { message: messageIn(last) }) }] : [],
    );
  }

  followed(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (session) session.isFollowed = true;
  }

  remove(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  /** Whether a request for this session has to wait. */
  isAwaited(sessionId: string | null): boolean {
    const session = sessionId === null ? undefined : this.#sessions.get(sessionId);
    return session?.isOpen === true && !session.isFollowed;
  }

  /** Where a repeated `session/load` continues; null if the editor has received nothing of it. */
  loadedUpTo({ isReplay, sessionId }: EditorRequest): number | null {
    const session = sessionId === null ? undefined : this.#sessions.get(sessionId);
    const isPart = isReplay && session?.isOpen === false && session.cursor > 0;
    return isPart ? session.cursor : null;
  }

  /** A request is sent. Updates of a session that is being loaded come before the response. */
  sent({ isReplay, sessionId }: EditorRequest): void {
    if (sessionId === null || !isReplay) return;
    if (this.#sessions.get(sessionId)?.isOpen !== false)
      this.#sessions.set(sessionId, { ...unread, held: [] });
  }

  answered({ method, sessionId: asked }: EditorRequest, message: Message): void {
    // A fork is another session than the one that it was requested for.
    const sessionId = message.result?.["sessionId"] ?? asked;
    if (typeof sessionId !== "string") return;
    const cursor = cursorIn(message);
    const session = this.#sessions.get(sessionId);
    if (opening.has(method)) {
      if (message.result) this.opened(sessionId, cursor);
      else if (session?.isOpen === false) this.#sessions.delete(sessionId);
    } else if (method === "session/close" || method === "session/delete") {
      if (message.result) this.#sessions.delete(sessionId);
    } else if (session && cursor !== null) session.cursor = Math.max(session.cursor, cursor);
  }

  opened(sessionId: string, cursor: number | null): void {
    const before = this.#sessions.get(sessionId)?.cursor ?? 0;
    const opened = { cursor: cursor ?? before, isOpen: true, isFollowed: true };
    this.#sessions.set(sessionId, { ...unread, ...opened, held: [] });
  }
}

const unread = { cursor: 0, isOpen: false, isFollowed: false, last: null };

/** Says whether the agent works. It does not end a message. */
const STATE_UPDATE = '"update":{"sessionUpdate":"state_update",';

/** The message that an update of version 2 adds text to. Its other chunks must have the same id. */
function messageIn(line: string): JsonObject | null {
  const { sessionUpdate: kind, messageId: id } = objectAt(
    objectAt(readMessage(line), "params"),
    "update",
  );
  return id === undefined ? null : { kind, id };
}
