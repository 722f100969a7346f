import { isRecord } from "@landline/system/json";

export type Fields = Readonly<Record<string, unknown>>;

export type RequestId = string | number;

/** Where a translator sends messages: to the peer that speaks version 2, and to the gateway, which speaks version 1. */
export interface Ends {
  toPeer(message: object): void;
  toGateway(message: object): void;
}

/**
 * Translates one connection between a peer that speaks version 2 of ACP (a draft) and the gateway, which speaks
 * version 1. A message becomes any number of messages in either direction. Extensions pass unchanged.
 */
export interface Translator {
  /** The peer speaks version 1: lines pass unchanged in both directions. */
  readonly isPassThrough: boolean;
  fromPeer(message: unknown): void;
  fromGateway(message: unknown): void;
}

export function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** The value if it is an object, else an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Converts the objects of a list, and omits everything else. */
export function mapList<Item>(value: unknown, convert: (item: Fields) => Item): Item[] {
  return listOf(value).map(convert);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function errorResponse(id: RequestId | null, code: number, message: string, data?: object) {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } };
}

export const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;
export const REQUEST_CANCELLED = -32_800;
export const METHOD_NOT_FOUND = -32_601;
/** `unsupported protocol version` of version 2. Also used for what has no counterpart in version 1. */
export const UNSUPPORTED_VERSION = -32_022;
