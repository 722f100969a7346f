import { acpMeta } from "@landline/protocol";
import { evictOldest } from "@landline/system/evict-oldest";
import { cancellation, idKey, objectAt, type Message } from "./json-rpc.ts";

/** A request of the gateway to the editor that the editor has not answered yet. */
interface GatewayRequest {
  /** The id of the request in the editor. It is unique over all connections. */
  readonly editorId: number;
  /** The id on the connection; null when that connection was lost. */
  gatewayId: unknown;
  /** Set for permission requests and questions, which the gateway sends again on a new connection. */
  readonly askId: string | null;
  readonly sessionId: unknown;
  /** What the editor answered while there was no connection. */
  answer: Message | null;
}

/** Answers of the editor to requests that were lost are awaited for this many of them. */
const requestsKept = 1_000;

/**
 * Requests of the gateway under ids of the editor. A permission request that is sent again after a reconnect is the same
 * request in the editor, so a person is asked once.
 */
export class GatewayRequests {
  readonly #byEditorId = new Map<string, GatewayRequest>();
  #nextId = 0;

  /** Returns the message for the editor, or the answer for the gateway if the editor has answered already, or neither. */
  receive(message: Message): { readonly editor?: Message; readonly gateway?: Message } {
    const params = objectAt(message, "params");
    const askId = objectAt(params, "_meta")[acpMeta.askId];
    const same = this.#all().find(
      (request) => typeof askId === "string" && request.askId === askId,
    );
    if (same) {
      same.gatewayId = message.id;
      return same.answer === null ? {} : this.answer({ ...same.answer, id: same.editorId });
    }
    const editorId = this.#nextId++;
    this.#byEditorId.set(idKey(editorId), {
      editorId,
      gatewayId: message.id,
      askId: typeof askId === "string" ? askId : null,
      sessionId: params["sessionId"],
      answer: null,
    });
    evictOldest(this.#byEditorId, requestsKept);
    return { editor: { ...message, id: editorId } };
  }

  /** Returns the answer under the id of the gateway. While there is no connection, it is kept. */
  answer(answer: Message): { readonly gateway?: Message } {
    const request = this.#byEditorId.get(idKey(answer.id));
    if (!request) return {};
    if (request.gatewayId === null && request.askId !== null) {
      request.answer = answer;
      return {};
    }
    this.#byEditorId.delete(idKey(answer.id));
    return request.gatewayId === null ? {} : { gateway: { ...answer, id: request.gatewayId } };
  }

  /** The gateway withdraws a request. The editor may still answer it. */
  cancel(gatewayId: unknown): Message | null {
    const request = this.#all().find(
      (one) => one.gatewayId !== null && idKey(one.gatewayId) === idKey(gatewayId),
    );
    return request ? cancellation(request.editorId) : null;
  }

  /** The connection was lost. Returns cancellations of requests that are not sent again. */
  lost(): Message[] {
    for (const request of this.#all()) request.gatewayId = null;
    return this.#withdraw(({ askId }) => askId === null);
  }

  /** The gateway has sent all open requests of the session again. Returns cancellations of the others. */
  resumed(sessionId: string): Message[] {
    return this.#withdraw(
      (request) => request.gatewayId === null && request.sessionId === sessionId,
    );
  }

  #withdraw(isOver: (request: GatewayRequest) => boolean): Message[] {
    const over = this.#all().filter(isOver);
    for (const { editorId } of over) this.#byEditorId.delete(idKey(editorId));
    return over
      .filter(({ answer }) => answer === null)
      .map(({ editorId }) => cancellation(editorId));
  }

  #all(): GatewayRequest[] {
    return [...this.#byEditorId.values()];
  }
}
