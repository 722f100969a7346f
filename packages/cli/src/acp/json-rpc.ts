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
    objectAt(message.result, "_meta")[CURSOR] ?? objectAt(message.error, "data")[CURSOR];
  return typeof cursor === "number" ? cursor : null;
}

export const CURSOR = "acp/cursor";

const UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"';
/** How the gateway ends an update. */
const ENDING =
  /,"_meta":\{(?:"landline\/session":"(?<parent>[^"\\]*)")?,?(?:"acp\/cursor":(?<cursor>\d+))?\}\}\}$/;
const ENDING_LENGTH = 200;

export interface UpdateFacts {
  readonly sessionId: string;
  /** Null: more updates of the same event follow. */
  readonly cursor: number | null;
}

/** Reads an update of the gateway without parsing it. Returns null for other messages. */
export function readUpdate(line: string): UpdateFacts | null {
  if (!line.startsWith(UPDATE)) return null;
  const sessionId = line.slice(UPDATE.length, line.indexOf('"', UPDATE.length));
  const { parent, cursor } = ENDING.exec(line.slice(-ENDING_LENGTH))?.groups ?? {};
  return { sessionId: parent ?? sessionId, cursor: cursor === undefined ? null : Number(cursor) };
}
