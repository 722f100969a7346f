import { acpMeta } from "@landline/protocol";
import { idKey, objectAt, type Message } from "./json-rpc.ts";

/** A request of the editor that was not answered yet. */
export interface EditorRequest {
  readonly id: unknown;
  readonly method: string;
  readonly sessionId: string | null;
  readonly promptId: string | null;
  /** Whether the history is sent before the response. */
  readonly isReplay: boolean;
  /** Its text. Null when too much is kept already: it cannot be sent again. */
  line: string | null;
  /** The notification with which the editor cancelled it. */
  cancelled: Message | null;
}

/** Requests of the editor, in order, until they are answered. They are sent again on a new connection. */
export class EditorRequests {
  readonly #open = new Map<string, EditorRequest>();
  readonly #maxLength: number;
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get isFull(): boolean {
    return this.#length > this.#maxLength;
  }

  get size(): number {
    return this.#open.size;
  }

  add(message: Message, line: string): EditorRequest {
    const { id, method = "" } = message;
    const params = objectAt(message, "params");
    const request: EditorRequest = {
      id,
      method,
      sessionId: textOf(params["sessionId"]),
      // In version 2 of ACP, `session/resume` replaces `session/load`.
      isReplay:
        method === "session/load" ||
        (method === "session/resume" && (params["replayFrom"] ?? null) !== null),
      promptId: textOf(objectAt(params, "_meta")[acpMeta.promptId]),
      line,
      cancelled: null,
    };
    this.take(id);
    this.#length += line.length;
    this.#open.set(idKey(id), request);
    return request;
  }

  /**
   * The request was sent. It cannot be sent again if too much is kept, or if it is of an extension: the agent may have
   * done it, and must not do it twice.
   */
  sent(request: EditorRequest): void {
    const isRepeatable = !this.isFull && !request.method.startsWith("_");
    if (isRepeatable || request.line === null) return;
    this.#length -= request.line.length;
    request.line = null;
  }

  take(id: unknown): EditorRequest | null {
    const request = this.#open.get(idKey(id)) ?? null;
    this.#open.delete(idKey(id));
    this.#length -= request?.line?.length ?? 0;
    return request;
  }

  all(): EditorRequest[] {
    return [...this.#open.values()];
  }

  promptsOf(sessionId: string): string[] {
    return this.all().flatMap((request) =>
      request.sessionId === sessionId && request.promptId !== null ? [request.promptId] : [],
    );
  }

  /** Notes `session/cancel` or `$/cancel_request`, which is sent again with the request. */
  noteCancel(notification: Message): void {
    const { sessionId, requestId } = objectAt(notification, "params");
    if (notification.method === "$/cancel_request") {
      const request = this.#open.get(idKey(requestId));
      if (request) request.cancelled = notification;
    } else if (notification.method === "session/cancel")
      for (const request of this.#open.values())
        if (request.method === "session/prompt" && request.sessionId === sessionId)
          request.cancelled = notification;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
