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
  /** Whether the editor has cancelled it. */
  isCancelled: boolean;
  /** Whether it was sent on the current connection. */
  isSent: boolean;
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
      isCancelled: false,
      isSent: false,
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
    request.isSent = true;
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

  unsent(): EditorRequest[] {
    return this.all().filter(({ isSent }) => !isSent);
  }

  /** The connection was lost. */
  lost(): void {
    for (const request of this.#open.values()) request.isSent = false;
  }

  promptsOf(sessionId: string): string[] {
    return this.all().flatMap((request) =>
      request.sessionId === sessionId && request.promptId !== null ? [request.promptId] : [],
    );
  }

  /** Notes which requests `session/cancel` or `$/cancel_request` cancels. They are cancelled again after a reconnect. */
  noteCancel({ method, params }: Message): void {
    const { sessionId, requestId } = objectAt({ params }, "params");
    if (method === "$/cancel_request") {
      const request = this.#open.get(idKey(requestId));
      if (request) request.isCancelled = true;
    } else if (method === "session/cancel")
      for (const request of this.#open.values())
        if (request.method === "session/prompt" && request.sessionId === sessionId)
          request.isCancelled = true;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
