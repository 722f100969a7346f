import { acpMeta, fromRpcError, LandlineError } from "@landline/protocol";
import { isRecord } from "@landline/system/json";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON-RPC message, read as far as the bridge needs it. */
export interface Message extends JsonObject {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** Returns null for a line that is not a JSON object. The gateway reports what is wrong with it. */
export function readMessage(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Ids 1 and "1" differ. */
export const idKey = (id: unknown): string => JSON.stringify(id) ?? "";

export function objectAt(value: unknown, name: string): JsonObject {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

/** Returns the message with more fields in `params._meta`. */
export function withMeta(message: Message, meta: JsonObject): Message {
  const params = objectAt(message, "params");
  return { ...message, params: { ...params, _meta: { ...objectAt(params, "_meta"), ...meta } } };
}

/** The cursor in `_meta` of a result, or in `data` of an error. */
export function cursorIn(message: Message): number | null {
  const cursor =
    objectAt(message.result, "_meta")[acpMeta.cursor] ??
    objectAt(message.error, "data")[acpMeta.cursor];
  return typeof cursor === "number" ? cursor : null;
}

/** The error of a response. */
export function errorOf({ code, message, data }: JsonObject): LandlineError {
  const text = String(message);
  const { retryAfterMs } = objectAt({ data }, "data");
  return new LandlineError(fromRpcError({ code: Number(code), message: text, data }), {
    message: text,
    ...(typeof retryAfterMs === "number" && { retryAfterMs }),
  });
}

export function cancellation(requestId: unknown): Message {
  return { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId } };
}
