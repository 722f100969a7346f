/**
 * JSON-RPC with the client. Delivers its requests and notifications in order, and matches responses to the agent's
 * requests by id.
 */
import { randomUUID } from "node:crypto";
import { isObject, type JsonObject } from "./json.ts";
import type { Output } from "./output.ts";
import type { RpcError } from "./prompt-result.ts";

export type RequestId = string | number;

export interface Receiver {
  request(id: RequestId, method: string, params: JsonObject): void;
  notification(method: string, params: JsonObject): void;
}

export type Reply = { readonly result: unknown } | { readonly error: RpcError };

export interface OpenRequest {
  readonly id: RequestId;
  readonly reply: Promise<Reply>;
}

export class Peer {
  readonly #output: Output;
  readonly #receiver: Receiver;
  readonly #ids: "numbers" | "uuids";
  readonly #open = new Map<RequestId, (reply: Reply) => void>();
  #nextId = 0;

  constructor(output: Output, receiver: Receiver, ids: "numbers" | "uuids") {
    this.#output = output;
    this.#receiver = receiver;
    this.#ids = ids;
  }

  request(method: string, params: unknown, output: Output = this.#output): OpenRequest {
    const id = this.#ids === "uuids" ? randomUUID() : this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#open.set(id, resolve);
    output.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return { id, reply: promise };
  }

  isOpen(id: RequestId): boolean {
    return this.#open.has(id);
  }

  respond(id: RequestId | null, fields: JsonObject, output: Output = this.#output): void {
    output.send({ jsonrpc: "2.0", id, ...fields });
  }

  receive(line: string): void {
    if (line.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.respond(null, { error: { code: -32700, message: "Parse error" } });
      return;
    }
    if (!isObject(message)) {
      this.respond(null, { error: { code: -32600, message: "Invalid request" } });
      return;
    }
    const { id, method, params } = message;
    if (typeof method !== "string") this.#settle(message);
    else if (isRequestId(id)) this.#receiver.request(id, method, isObject(params) ? params : {});
    else this.#receiver.notification(method, isObject(params) ? params : {});
  }

  #settle(message: JsonObject): void {
    const { id, result, error } = message;
    if (!isRequestId(id)) return;
    const settle = this.#open.get(id);
    this.#open.delete(id);
    settle?.(isObject(error) ? { error: error as unknown as RpcError } : { result });
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number";
}
